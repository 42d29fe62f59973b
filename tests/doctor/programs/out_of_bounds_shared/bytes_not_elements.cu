// problem: shared-reverse
__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        part[length - 1 - i] = x[first + i];  // doctor: out_of_bounds
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        y[first + i] = part[i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    reverse<<<(n - 1) / segment + 1, 128, segment>>>(x, y, n, segment);
}
