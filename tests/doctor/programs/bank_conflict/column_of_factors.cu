// problem: matrix-multiply
constexpr int kTile = 32;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float left[kTile][kTile], right[kTile][kTile];
    int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < n; first += kTile) {
        int i = first + threadIdx.x, j = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && i < n ? a[row * n + i] : 0;
        right[threadIdx.x][threadIdx.y] = j < n && col < k ? b[j * k + col] : 0;  // doctor: bank_conflict
        __syncthreads();
        for (int t = 0; t < kTile; ++t) {
            sum += left[threadIdx.y][t] * right[threadIdx.x][t];  // doctor: bank_conflict
        }
        __syncthreads();
    }
    if (row < m && col < k) {
        c[row * k + col] = sum;
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 blocks((k + kTile - 1) / kTile, (m + kTile - 1) / kTile);
    multiply<<<blocks, dim3(kTile, kTile)>>>(a, b, c, m, n, k);
}
