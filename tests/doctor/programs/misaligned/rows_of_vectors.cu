// problem: softmax
__global__ void shift(const float* input, float* output, int rows, int cols) {
    const float* row = input + blockIdx.x * cols;
    float* out = output + blockIdx.x * cols;
    for (int i = threadIdx.x; 4 * i + 3 < cols; i += blockDim.x) {
        float4 x = reinterpret_cast<const float4*>(row)[i];  // doctor: misaligned
        out[4 * i] = expf(x.x);
        out[4 * i + 1] = expf(x.y);
        out[4 * i + 2] = expf(x.z);
        out[4 * i + 3] = expf(x.w);
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    shift<<<rows, 64>>>(input, output, rows, cols);
}
