// A tile without padding: field f of record r is at position f ^ (r / 4 % 8) of the record.
//
// What bounds it: device memory. Four records have 32 numbers, one for each bank. A warp that writes four records uses all
// banks in any order within a record. A warp that reads field f of 32 records uses bank 8 (r % 4) + (f ^ r / 4 % 8), which is
// different for each of them. So neither side has a bank conflict, while padding by one float leaves some in the writes.
#include <cuda_runtime.h>

constexpr int kFields = 8;
constexpr int kRecords = 256;  // of a block, one for each thread

__device__ int place(int record, int field) { return record * kFields + (field ^ record / 4 % kFields); }

__global__ void rearrange(const float* particles, float* fields, int n, float dt) {
    __shared__ float tile[kRecords * kFields];
    int first = blockIdx.x * kRecords, count = min(kRecords, n - first);
    for (int at = threadIdx.x; at < count * kFields; at += kRecords) {
        tile[place(at / kFields, at % kFields)] = particles[size_t(first) * kFields + at];
    }
    __syncthreads();
    int record = threadIdx.x;
    if (record < count) {
        for (int field = 0; field < kFields; ++field) {
            float value = tile[place(record, field)];
            if (field < 3) {
                value += dt * tile[place(record, field + 4)];
            }
            fields[size_t(field) * n + first + record] = value;
        }
    }
}

extern "C" void solve(const float* particles, float* fields, int n, float dt) {
    rearrange<<<(n + kRecords - 1) / kRecords, kRecords>>>(particles, fields, n, dt);
}
