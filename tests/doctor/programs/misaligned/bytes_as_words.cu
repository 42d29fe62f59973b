// problem: box-blur
__global__ void grey(const unsigned char* image, float* grey, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count - 1) {
        unsigned word = *reinterpret_cast<const unsigned*>(image + 3 * i);  // doctor: misaligned
        grey[i] = 0.299f * (word & 255) + 0.587f * (word >> 8 & 255) + 0.114f * (word >> 16 & 255);
    }
}

extern "C" void solve(const unsigned char* image, float* out, float* blur, int rows, int cols, int radius) {
    grey<<<(rows * cols + 127) / 128, 128>>>(image, out, rows * cols);
}
