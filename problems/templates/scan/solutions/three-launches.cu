// Sums of blocks, a scan of these by one block, and scans of blocks that begin with what stands before them.
// Bound by memory traffic: the input is read twice.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

// The sum of the values of all threads up to this one. Every thread of the block must call it.
__device__ int scan_block(int value) {
    __shared__ int sums[kThreads];
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
        int before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
        __syncthreads();  // everybody has read
        sums[threadIdx.x] += before;
        __syncthreads();  // everybody has written
    }
    return sums[threadIdx.x];
}

__global__ void add_blocks(const int* amounts, int* totals, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    int sum = scan_block(i < n ? amounts[i] : 0);
    if (threadIdx.x == kThreads - 1) {
        totals[blockIdx.x] = sum;
    }
}

__global__ void scan_totals(int* totals, int count) {
    __shared__ int total;
    int carry = 0;
    for (int first = 0; first < count; first += kThreads) {
        int i = first + threadIdx.x;
        int sum = carry + scan_block(i < count ? totals[i] : 0);
        if (i < count) {
            totals[i] = sum;
        }
        if (threadIdx.x == kThreads - 1) {
            total = sum;
        }
        __syncthreads();
        carry = total;
        __syncthreads();  // before the next round overwrites the total
    }
}

__global__ void scan_blocks(const int* amounts, const int* totals, int* balance, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    int before = blockIdx.x > 0 ? totals[blockIdx.x - 1] : 0;
    int sum = scan_block(i < n ? amounts[i] : 0);
    if (i < n) {
        balance[i] = before + sum;
    }
}

extern "C" void solve(const int* amounts, int* balance, int n) {
    int blocks = (n + kThreads - 1) / kThreads;
    int* totals = nullptr;
    cudaMalloc(&totals, blocks * sizeof(int));
    add_blocks<<<blocks, kThreads>>>(amounts, totals, n);
    scan_totals<<<1, kThreads>>>(totals, blocks);
    scan_blocks<<<blocks, kThreads>>>(amounts, totals, balance, n);
    cudaFree(totals);  // waits for the kernels
}
