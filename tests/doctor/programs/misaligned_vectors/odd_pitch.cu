// problem: relu
// The scratch rows have 257 elements, so that most of them start within a sector.
constexpr int kCols = 256, kPitch = kCols + 1;

__global__ void clamp_rows(const float* input, float* scratch, int n) {
    int i = blockIdx.x * kCols + threadIdx.x;
    if (i < n) {
        scratch[blockIdx.x * kPitch + threadIdx.x] = fmaxf(input[i], 0.0f);  // doctor: misaligned_vectors
    }
}

__global__ void gather(const float* scratch, float* output, int n) {
    int i = blockIdx.x * kCols + threadIdx.x;
    if (i < n) {
        output[i] = scratch[blockIdx.x * kPitch + threadIdx.x];  // doctor: misaligned_vectors
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int rows = (n + kCols - 1) / kCols;
    float* scratch;
    cudaMalloc(&scratch, size_t(rows) * kPitch * sizeof(float));
    clamp_rows<<<rows, kCols>>>(input, scratch, n);
    gather<<<rows, kCols>>>(scratch, output, n);
    cudaFree(scratch);
}
