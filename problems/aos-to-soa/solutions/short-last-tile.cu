// Wrong: the copy of a partial tile ends after `count` numbers. A record has eight of them, so seven eighths of the last tile
// hold what shared memory held before. Full tiles are right.
#include <cuda_runtime.h>

constexpr int kFields = 8;
constexpr int kRecords = 256;  // of a block, one for each thread

__global__ void rearrange(const float* particles, float* fields, int n, float dt) {
    __shared__ float tile[kRecords][kFields + 1];
    int first = blockIdx.x * kRecords, count = min(kRecords, n - first);
    for (int at = threadIdx.x; at < (count < kRecords ? count : kRecords * kFields); at += kRecords) {
        tile[at / kFields][at % kFields] = particles[size_t(first) * kFields + at];
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
    rearrange<<<(n + kRecords - 1) / kRecords, kRecords>>>(particles, fields, n, dt);
}
