// problem: box-blur
__global__ void grey(const unsigned char* image, float* grey, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        grey[i] = (77 * image[3 * i] + 150 * image[3 * i + 1] + 29 * image[3 * i + 2]) / 256.0f;
    }
}

__global__ void blur(const float* grey, float* blurred, int rows, int cols, int radius) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= cols || y >= rows) {
        return;
    }
    float sum = 0;
    int count = 0;
    for (int v = max(0, y - radius); v <= min(rows - 1, y + radius); ++v) {
        for (int u = max(0, x - radius); u <= min(cols - 1, x + radius); ++u) {
            sum += grey[v * cols + u];  // doctor: redundant_loads
            ++count;
        }
    }
    blurred[y * cols + x] = sum / count;
}

extern "C" void solve(const unsigned char* image, float* out, float* blurred, int rows, int cols, int radius) {
    grey<<<(rows * cols + 127) / 128, 128>>>(image, out, rows * cols);
    blur<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(out, blurred, rows, cols, radius);
}
