// Right, but slow: each thread reads its own record, one number after the other. When 32 lanes read the same field, they touch 32
// records and so 32 sectors, of which they use 4 bytes each. Caches may serve the other seven loads, but each still
// takes 32 sectors from them.
#include <cuda_runtime.h>

constexpr int kFields = 8;

__global__ void rearrange(const float* particles, float* fields, int n, float dt) {
    int record = blockIdx.x * blockDim.x + threadIdx.x;
    if (record < n) {
        const float* own = particles + size_t(record) * kFields;
        for (int field = 0; field < kFields; ++field) {
            float value = field < 3 ? own[field] + dt * own[field + 4] : own[field];
            fields[size_t(field) * n + record] = value;
        }
    }
}

extern "C" void solve(const float* particles, float* fields, int n, float dt) {
    rearrange<<<(n + 255) / 256, 256>>>(particles, fields, n, dt);
}
