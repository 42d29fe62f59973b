// problem: matrix-transpose
// The scratch buffer starts with its two sizes, so that its elements lie 8 bytes behind a sector.
__global__ void flatten(const float* input, float* scratch, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2) {
        scratch[i] = i == 0 ? rows : cols;
    }
    if (i < rows * cols) {
        scratch[2 + i] = input[i];  // doctor: misaligned_vectors
    }
}

__global__ void transpose(const float* scratch, float* output) {
    __shared__ float tile[32][33];
    int rows = scratch[0], cols = scratch[1];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32;
    for (int j = threadIdx.y; j < 32; j += 8) {
        if (row + j < rows && col < cols) {
            tile[j][threadIdx.x] = scratch[2 + (row + j) * cols + col];  // doctor: misaligned_vectors
        }
    }
    __syncthreads();
    int to = blockIdx.y * 32 + threadIdx.x, from = blockIdx.x * 32;
    for (int j = threadIdx.y; j < 32; j += 8) {
        if (from + j < cols && to < rows) {
            output[(from + j) * rows + to] = tile[threadIdx.x][j];
        }
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    float* scratch;
    cudaMalloc(&scratch, (size_t(rows) * cols + 2) * sizeof(float));
    flatten<<<(rows * cols + 255) / 256, 256>>>(input, scratch, rows, cols);
    transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(scratch, output);
    cudaFree(scratch);
}
