// Right, but each device sends its hidden activations to the other one, and its part of W2 too, because every row of y
// then needs all hidden activations and all rows of W2. The split of W2 by rows needs only the hidden activations that
// a device already has.
#include <cuda_runtime.h>

// c = a b, or relu(a b). A thread computes an element.
__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int cols, bool relu) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        float sum = 0;
        for (int i = 0; i < inner; ++i) {
            sum += a[row * inner + i] * b[i * cols + col];
        }
        c[row * cols + col] = relu ? fmaxf(sum, 0) : sum;
    }
}

static dim3 grid(int rows, int cols) { return dim3((cols + 31) / 32, (rows + 7) / 8); }

// Stores columns of a matrix, beginning with `first`.
__global__ void place(const float* part, float* whole, int rows, int part_cols, int whole_cols, int first) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < part_cols) {
        whole[row * whole_cols + first + col] = part[row * part_cols + col];
    }
}

static void enable_peer_access() {
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        if (cudaDeviceEnablePeerAccess(1 - device, 0) == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();  // an earlier call of solve has enabled it
        }
    }
}

extern "C" void solve(const float* x0, const float* w1_left, const float* w2_upper, float* y0, const float* x1,
                      const float* w1_right, const float* w2_lower, float* y1, int m, int k, int left, int right,
                      int n) {
    enable_peer_access();
    const float* x[2] = {x0, x1};
    const float* w1[2] = {w1_left, w1_right};
    const float* w2[2] = {w2_upper, w2_lower};
    float* y[2] = {y0, y1};
    int width[2] = {left, right};
    int all = left + right, from[2] = {0, left};
    float *hidden[2], *other[2], *whole[2], *weights[2];
    cudaStream_t stream[2];
    cudaEvent_t sent[2];
    for (int d = 0; d < 2; ++d) {
        cudaSetDevice(d);
        cudaMalloc(&hidden[d], m * width[d] * sizeof(float));
        cudaMalloc(&other[d], m * width[1 - d] * sizeof(float));
        cudaMalloc(&whole[d], m * all * sizeof(float));
        cudaMalloc(&weights[d], all * n * sizeof(float));
        cudaStreamCreate(&stream[d]);
        cudaEventCreateWithFlags(&sent[d], cudaEventDisableTiming);
    }
    for (int d = 0; d < 2; ++d) {
        cudaSetDevice(d);
        multiply<<<grid(m, width[d]), dim3(32, 8), 0, stream[d]>>>(x[d], w1[d], hidden[d], m, k, width[d], true);
        cudaMemcpyPeerAsync(other[1 - d], 1 - d, hidden[d], d, m * width[d] * sizeof(float), stream[d]);
        for (int to = 0; to < 2; ++to) {
            cudaMemcpyPeerAsync(weights[to] + from[d] * n, to, w2[d], d, width[d] * n * sizeof(float), stream[d]);
        }
        cudaEventRecord(sent[d], stream[d]);
    }
    for (int d = 0; d < 2; ++d) {
        cudaSetDevice(d);
        cudaStreamWaitEvent(stream[d], sent[1 - d], 0);
        place<<<grid(m, width[d]), dim3(32, 8), 0, stream[d]>>>(hidden[d], whole[d], m, width[d], all, from[d]);
        place<<<grid(m, width[1 - d]), dim3(32, 8), 0, stream[d]>>>(other[d], whole[d], m, width[1 - d], all,
                                                                    from[1 - d]);
        multiply<<<grid(m, n), dim3(32, 8), 0, stream[d]>>>(whole[d], weights[d], y[d], m, all, n, false);
    }
    for (int d = 0; d < 2; ++d) {
        cudaStreamSynchronize(stream[d]);
        cudaStreamDestroy(stream[d]);
        cudaEventDestroy(sent[d]);
    }
    for (int d = 0; d < 2; ++d) {
        cudaFree(hidden[d]);
        cudaFree(other[d]);
        cudaFree(whole[d]);
        cudaFree(weights[d]);
    }
}
