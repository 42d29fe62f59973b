// problem: relu
__device__ unsigned positives;

__global__ void relu(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMax(&positives, threadIdx.x);  // doctor: contended_atomic
        output[i] = fmaxf(input[i], 0.0f);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<(n + 255) / 256, 256>>>(input, output, n);
}
