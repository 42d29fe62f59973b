// problem: shared-reverse
constexpr int kThreads = 256;

__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += kThreads) {
        part[segment - i] = x[first + i];  // doctor: out_of_bounds
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += kThreads) {
        y[first + i] = part[segment - length + 1 + i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    reverse<<<(n - 1) / segment + 1, kThreads, segment * sizeof(float)>>>(x, y, n, segment);
}
