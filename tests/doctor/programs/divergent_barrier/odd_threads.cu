// problem: shared-reverse
__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        part[i] = x[first + i];
    }
    if (threadIdx.x % 2 == 1) {
        __syncthreads();  // doctor: divergent_barrier
    }
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        y[first + i] = part[i];
    }
    __syncthreads();  // doctor: divergent_barrier
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        y[first + i] = part[length - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    reverse<<<(n - 1) / segment + 1, 128, segment * sizeof(float)>>>(x, y, n, segment);
}
