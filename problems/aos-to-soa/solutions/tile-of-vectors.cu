// Right, but slow: a tile at the wrong place. Each thread reads its own record, which scatters the reads, and passes it through
// shared memory. The stores were coalesced before. The tile must stand between the reads and the rearrangement.
#include <cuda_runtime.h>

constexpr int kFields = 8;
constexpr int kRecords = 256;

__global__ void rearrange(const float* particles, float* fields, int n, float dt) {
    __shared__ float tile[kFields][kRecords];
    int first = blockIdx.x * kRecords, count = min(kRecords, n - first), record = threadIdx.x;
    if (record < count) {
        const float* own = particles + size_t(first + record) * kFields;
        for (int field = 0; field < kFields; ++field) {
            tile[field][record] = own[field];
        }
    }
    __syncthreads();
    if (record < count) {
        for (int field = 0; field < kFields; ++field) {
            float value = field < 3 ? tile[field][record] + dt * tile[field + 4][record] : tile[field][record];
            fields[size_t(field) * n + first + record] = value;
        }
    }
}

extern "C" void solve(const float* particles, float* fields, int n, float dt) {
    rearrange<<<(n + kRecords - 1) / kRecords, kRecords>>>(particles, fields, n, dt);
}
