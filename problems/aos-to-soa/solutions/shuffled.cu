// Registers: a warp rearranges 32 records without shared memory and without a barrier.
//
// What bounds it: device memory. The number of an element has eight bits: five for the record, three for the field. After the
// loads, the register's number is the upper three bits and the lane's number the lower five. Three steps of four shuffles
// exchange a bit of the register with a bit of the lane. Then the register is the field, and the lane a record. The lanes have
// the records in a mixed order, but 32 lanes still write 32 neighbouring numbers.
#include <cuda_runtime.h>

constexpr int kFields = 8;
constexpr int kWarps = 4;

__global__ void rearrange(const float* particles, float* fields, int n, float dt) {
    int lane = threadIdx.x, first = (blockIdx.x * kWarps + threadIdx.y) * 32;
    if (first >= n) {
        return;  // the whole warp
    }
    float held[kFields];
#pragma unroll
    for (int k = 0; k < kFields; ++k) {
        size_t at = size_t(first) * kFields + k * 32 + lane;
        held[k] = at < size_t(n) * kFields ? particles[at] : 0.0f;
    }
#pragma unroll
    for (int bit = 1; bit < kFields; bit *= 2) {
        bool upper = lane & bit;
#pragma unroll
        for (int k = 0; k < kFields; ++k) {
            if (k & bit) continue;
            float given = upper ? held[k] : held[k + bit];
            float got = __shfl_xor_sync(0xffffffffu, given, bit);
            held[k] = upper ? got : held[k];
            held[k + bit] = upper ? held[k + bit] : got;
        }
    }
    // The lower three bits of the lane are now the upper three of the record.
    int record = first + lane % 8 * 4 + lane / 8;
    if (record < n) {
#pragma unroll
        for (int field = 0; field < 3; ++field) {
            held[field] += dt * held[field + 4];
        }
#pragma unroll
        for (int field = 0; field < kFields; ++field) {
            fields[size_t(field) * n + record] = held[field];
        }
    }
}

extern "C" void solve(const float* particles, float* fields, int n, float dt) {
    int warps = (n + 31) / 32;
    rearrange<<<(warps + kWarps - 1) / kWarps, dim3(32, kWarps)>>>(particles, fields, n, dt);
}
