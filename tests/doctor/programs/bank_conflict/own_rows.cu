// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    __shared__ float tile[64 * 16];
    int first = blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024 && first + i < n; i += 64) {
        tile[i] = input[first + i];
    }
    __syncthreads();
    for (int j = 0; j < 16 && first + threadIdx.x * 16 + j < n; ++j) {
        float x = tile[threadIdx.x * 16 + j];  // doctor: bank_conflict
        tile[threadIdx.x * 16 + j] = fmaxf(x, 0.0f);  // doctor: bank_conflict
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024 && first + i < n; i += 64) {
        output[first + i] = tile[i];
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 1023) / 1024, 64>>>(input, output, n);
}
