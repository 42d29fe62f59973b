// problem: matrix-multiply
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && col < k) {
        float sum = 0;
        for (int i = 0; i < n; ++i) {
            sum += a[row * n + i] * b[i * k + col];  // doctor: uncoalesced
        }
        c[row * k + col] = sum;  // doctor: uncoalesced
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    multiply<<<dim3((m + 31) / 32, (k + 3) / 4), dim3(32, 4)>>>(a, b, c, m, n, k);
}
