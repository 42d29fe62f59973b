// problem: box-blur
constexpr int kThreads = 128;

__global__ void grey(const unsigned char* image, float* grey, int count) {
    __shared__ unsigned char bytes[3 * kThreads];
    int i = blockIdx.x * kThreads + threadIdx.x;
    for (int k = 0; k < 3; ++k) {
        bytes[3 * threadIdx.x + k + 1] = i < count ? image[3 * i + k] : 0;  // doctor: out_of_bounds
    }
    __syncthreads();
    if (i < count) {
        grey[i] = bytes[3 * threadIdx.x + 1];
    }
}

extern "C" void solve(const unsigned char* image, float* out, float* blur, int rows, int cols, int radius) {
    grey<<<(rows * cols + kThreads - 1) / kThreads, kThreads>>>(image, out, rows * cols);
}
