// problem: shared-reverse
__global__ void reverse(const float* x, float* y, int n, int segment) {
    extern __shared__ float part[];
    int first = blockIdx.x * segment;
    int length = min(segment, n - first);
    for (int i = threadIdx.x; i < length; i += 32) {
        part[i] = x[first + i];
    }
    __syncwarp(0xfffffffeu);  // doctor: bad_mask
    for (int i = threadIdx.x; i < length; i += 32) {
        y[first + i] = part[length - 1 - i];
    }
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    reverse<<<(n - 1) / segment + 1, 32, segment * sizeof(float)>>>(x, y, n, segment);
}
