// problem: matrix-multiply
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < m && col < k) {
        float sum = 0;
        for (int i = 0; i < n; ++i) {
            float left = a[row * n + i];
            sum += left * b[i * k + col];  // doctor: redundant_loads
        }
        c[row * k + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    multiply<<<dim3((k + 31) / 32, (m + 31) / 32), dim3(32, 32)>>>(a, b, c, m, n, k);
}
