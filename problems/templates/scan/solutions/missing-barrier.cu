// Wrong: scans in place in shared memory, and nothing keeps a thread from reading what its neighbour has already
// changed in the same step.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__global__ void scan(const int* amounts, int* balance, int n) {
    __shared__ int sums[kThreads];
    int carry = 0;
    for (int first = 0; first < n; first += kThreads) {
        int i = first + threadIdx.x;
        sums[threadIdx.x] = i < n ? amounts[i] : 0;
        __syncthreads();
        for (int distance = 1; distance < kThreads; distance *= 2) {
            if (threadIdx.x >= distance) {
                sums[threadIdx.x] += sums[threadIdx.x - distance];
            }
            __syncthreads();
        }
        if (i < n) {
            balance[i] = carry + sums[threadIdx.x];
        }
        carry += sums[kThreads - 1];
        __syncthreads();
    }
}

extern "C" void solve(const int* amounts, int* balance, int n) {
    scan<<<1, kThreads>>>(amounts, balance, n);
}
