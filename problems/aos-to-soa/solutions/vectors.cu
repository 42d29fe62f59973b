// Four numbers per lane: a warp reads 512 neighbouring bytes with one instruction, 16 sectors that it needs in full.
//
// What bounds it: device memory. A quarter of the load instructions keeps as many bytes on their way. A record is 32
// bytes, so float4 is always aligned. The fields begin at multiples of n, which may be odd, so the stores stay single.
#include <cuda_runtime.h>

constexpr int kFields = 8;
constexpr int kRecords = 256;  // of a block, one for each thread

__global__ void rearrange(const float4* particles, float* fields, int n, float dt) {
    __shared__ float tile[kRecords][kFields + 1];
    int first = blockIdx.x * kRecords, count = min(kRecords, n - first);
    for (int at = threadIdx.x; at < count * 2; at += kRecords) {
        float4 half = particles[size_t(first) * 2 + at];
        float* place = &tile[at / 2][at % 2 * 4];
        place[0] = half.x;
        place[1] = half.y;
        place[2] = half.z;
        place[3] = half.w;
    }
    __syncthreads();
    int record = threadIdx.x;
    if (record < count) {
        const float* own = tile[record];
        for (int field = 0; field < kFields; ++field) {
            float value = field < 3 ? own[field] + dt * own[field + 4] : own[field];
            fields[size_t(field) * n + first + record] = value;
        }
    }
}

extern "C" void solve(const float* particles, float* fields, int n, float dt) {
    rearrange<<<(n + kRecords - 1) / kRecords, kRecords>>>(reinterpret_cast<const float4*>(particles), fields, n, dt);
}
