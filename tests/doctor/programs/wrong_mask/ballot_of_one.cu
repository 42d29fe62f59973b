// problem: relu
__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < n ? input[i] : 0;
    unsigned positive = __ballot_sync(1u, x > 0);  // doctor: bad_mask
    if (i < n) {
        output[i] = positive >> (threadIdx.x % 32) & 1 ? x : 0;
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 63) / 64, 64>>>(input, output, n);
}
