// problem: matrix-multiply
// Each block computes 64 columns of 16 rows, and keeps nothing of B for the next row.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    int col = blockIdx.x * 64 + threadIdx.x;
    if (col >= k) {
        return;
    }
    for (int row = blockIdx.y * 16; row < min(m, int(blockIdx.y) * 16 + 16); ++row) {
        float sum = 0;
        for (int i = 0; i < n; ++i) {
            float left = a[row * n + i];
            float right = b[i * k + col];  // doctor: redundant_loads
            sum += left * right;
        }
        c[row * k + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    multiply<<<dim3((k + 63) / 64, (m + 15) / 16), 64>>>(a, b, c, m, n, k);
}
