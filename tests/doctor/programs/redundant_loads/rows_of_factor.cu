// problem: matrix-multiply
// Each warp walks the columns in an order of its own, so that nothing is broadcast.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= k) {
        return;
    }
    float sum = 0;
    const float* from = a + row * n;
    for (int step = 0; step < n; ++step) {
        int i = (step + threadIdx.x) % n;
        float left = from[i];  // doctor: redundant_loads
        float right = b[i * k + col];  // doctor: redundant_loads
        sum += left * right;
    }
    c[row * k + col] = sum;
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    multiply<<<dim3((k + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}
