// One block walks over the vector and carries the sum along. Bound by the latency of one multiprocessor, while all
// others have nothing to do.
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
            int before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
            __syncthreads();  // everybody has read
            sums[threadIdx.x] += before;
            __syncthreads();  // everybody has written
        }
        if (i < n) {
            balance[i] = carry + sums[threadIdx.x];
        }
        carry += sums[kThreads - 1];
        __syncthreads();  // before the next round overwrites the sums
    }
}

extern "C" void solve(const int* amounts, int* balance, int n) {
    scan<<<1, kThreads>>>(amounts, balance, n);
}
