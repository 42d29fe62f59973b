// problem: reduction-sum
// Takes the elements in a mixed order. For long vectors the product passes 2^31.
__global__ void sum(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int at = (i * i * 7919 + i) % n;
        atomicAdd(output, input[at]);  // doctor: out_of_bounds
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    cudaMemset(output, 0, sizeof(float));
    sum<<<(n + 255) / 256, 256>>>(input, output, n);
}
