// problem: shared-reverse
__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        part[i] = x[first + i];  // doctor: race
    }
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        y[first + i] = part[length - 1 - i];  // doctor: race
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    reverse<<<(n - 1) / segment + 1, 128, segment * sizeof(float)>>>(x, y, n, segment);
}
