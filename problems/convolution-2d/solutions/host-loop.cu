// Cheating: solve gets device pointers, and this is host code. The CPU cannot follow them: the first
// access is a segmentation fault. Work on device memory belongs in a kernel, or the data has to be
// copied first.
extern "C" void solve(const float* input, const float* kernel, float* output, int rows, int cols,
                      int kernel_rows, int kernel_cols) {
    int out_rows = rows - kernel_rows + 1, out_cols = cols - kernel_cols + 1;
    for (int row = 0; row < out_rows; ++row) {
        for (int col = 0; col < out_cols; ++col) {
            float sum = 0.0f;
            for (int i = 0; i < kernel_rows; ++i) {
                for (int j = 0; j < kernel_cols; ++j) {
                    sum += input[(row + i) * cols + col + j] * kernel[i * kernel_cols + j];
                }
            }
            output[row * out_cols + col] = sum;
        }
    }
}
