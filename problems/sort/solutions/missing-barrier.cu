// Wrong: a bitonic network in shared memory without a barrier between its passes. A comparator reads
// what two other threads should have written in the pass before, and nothing makes it wait for them.
#include <cuda_runtime.h>
#include <math.h>

constexpr int kMost = 4096;

__global__ void sort_block(float* data, int n, int padded) {
    __shared__ float values[kMost];
    for (int i = threadIdx.x; i < padded; i += blockDim.x) {
        values[i] = i < n ? data[i] : INFINITY;
    }
    __syncthreads();
    for (int k = 2; k <= padded; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            for (int i = threadIdx.x; i < padded; i += blockDim.x) {
                int other = i ^ j;
                if (other > i && (values[i] > values[other]) == ((i & k) == 0)) {
                    float value = values[i];
                    values[i] = values[other];
                    values[other] = value;
                }
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        data[i] = values[i];
    }
}

extern "C" void solve(float* data, int n) {
    int padded = 1;
    while (padded < n) {
        padded *= 2;
    }
    if (padded <= kMost) {
        sort_block<<<1, 256>>>(data, n, padded);
    }
}
