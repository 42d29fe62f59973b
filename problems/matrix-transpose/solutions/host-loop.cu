// Cheating: transposes on the host. The arrays are in device memory, which the host cannot read.
extern "C" void solve(const float* input, float* output, int rows, int cols) {
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            output[size_t(col) * rows + row] = input[size_t(row) * cols + col];
        }
    }
}
