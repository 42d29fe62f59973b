// Wrong: no __syncthreads() between the copy and the use of the tile. The numbers of a record were stored by other
// warps than the reading warp, except for the first few records.
#include <cuda_runtime.h>

constexpr int kFields = 8;
constexpr int kRecords = 256;  // of a block, one for each thread

__global__ void rearrange(const float* particles, float* fields, int n, float dt) {
    __shared__ float tile[kRecords][kFields + 1];
    int first = blockIdx.x * kRecords, count = min(kRecords, n - first);
    for (int at = threadIdx.x; at < count * kFields; at += kRecords) {
        tile[at / kFields][at % kFields] = particles[size_t(first) * kFields + at];
    }
    // __syncthreads() belongs here.
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
    rearrange<<<(n + kRecords - 1) / kRecords, kRecords>>>(particles, fields, n, dt);
}
