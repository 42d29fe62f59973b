// Wrong: the tile is kept in float16 to save shared memory. Nothing is gained, because 9 KiB for each block of 256 threads do not
// limit the number of resident blocks. Numbers near 100 have steps of 1/16 in float16.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kFields = 8;
constexpr int kRecords = 256;  // of a block, one for each thread

__global__ void rearrange(const float* particles, float* fields, int n, float dt) {
    __shared__ __half tile[kRecords][kFields + 1];
    int first = blockIdx.x * kRecords, count = min(kRecords, n - first);
    for (int at = threadIdx.x; at < count * kFields; at += kRecords) {
        tile[at / kFields][at % kFields] = __float2half_rn(particles[size_t(first) * kFields + at]);
    }
    __syncthreads();
    int record = threadIdx.x;
    if (record < count) {
        const __half* own = tile[record];
        for (int field = 0; field < kFields; ++field) {
            float value = __half2float(own[field]);
            if (field < 3) {
                value += dt * __half2float(own[field + 4]);
            }
            fields[size_t(field) * n + first + record] = value;
        }
    }
}

extern "C" void solve(const float* particles, float* fields, int n, float dt) {
    rearrange<<<(n + kRecords - 1) / kRecords, kRecords>>>(particles, fields, n, dt);
}
