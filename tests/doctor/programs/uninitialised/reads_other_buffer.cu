// problem: prefix-sum
__global__ void step(const float* from, float* to, int n, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = i >= distance ? from[i] + from[i - distance] : from[i];  // doctor: uninitialised
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    float* spare;
    cudaMalloc(&spare, n * sizeof(float));
    int blocks = (n + 255) / 256;
    step<<<blocks, 256>>>(spare, output, n, 1);
    for (int distance = 2; distance < n; distance *= 2) {
        step<<<blocks, 256>>>(output, spare, n, distance);
        cudaMemcpyAsync(output, spare, n * sizeof(float), cudaMemcpyDeviceToDevice);
    }
    cudaFree(spare);
}
