// The rows in blocks: while the partial y of a block is exchanged and added in a second stream, the products of the
// next block run. So the exchange costs time only after the last block. The hidden activations need memory for one
// block. Small blocks overlap better, but read all weights each time. Bound by the products.
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

__global__ void add(float* y, const float* other, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] += other[i];
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

constexpr int kRows = 16;  // of a block; hundreds on a GPU, so that a product fills it

extern "C" void solve(const float* x0, const float* w1_left, const float* w2_upper, float* y0, const float* x1,
                      const float* w1_right, const float* w2_lower, float* y1, int m, int k, int left, int right,
                      int n) {
    enable_peer_access();
    const float* x[2] = {x0, x1};
    const float* w1[2] = {w1_left, w1_right};
    const float* w2[2] = {w2_upper, w2_lower};
    float* y[2] = {y0, y1};
    int width[2] = {left, right};
    float *hidden[2], *received[2];
    cudaStream_t compute[2], exchange[2];
    cudaEvent_t computed[2], sent[2];
    for (int d = 0; d < 2; ++d) {
        cudaSetDevice(d);
        cudaMalloc(&hidden[d], kRows * width[d] * sizeof(float));
        cudaMalloc(&received[d], m * n * sizeof(float));
        cudaStreamCreate(&compute[d]);
        cudaStreamCreate(&exchange[d]);
        cudaEventCreateWithFlags(&computed[d], cudaEventDisableTiming);
        cudaEventCreateWithFlags(&sent[d], cudaEventDisableTiming);
    }
    for (int first = 0; first < m; first += kRows) {
        int rows = m - first < kRows ? m - first : kRows;
        int at = first * n, count = rows * n;
        for (int d = 0; d < 2; ++d) {
            cudaSetDevice(d);
            multiply<<<grid(rows, width[d]), dim3(32, 8), 0, compute[d]>>>(x[d] + first * k, w1[d], hidden[d], rows, k,
                                                                           width[d], true);
            multiply<<<grid(rows, n), dim3(32, 8), 0, compute[d]>>>(hidden[d], w2[d], y[d] + at, rows, width[d], n,
                                                                    false);
            cudaEventRecord(computed[d], compute[d]);
            cudaStreamWaitEvent(exchange[d], computed[d], 0);
            cudaMemcpyPeerAsync(received[1 - d] + at, 1 - d, y[d] + at, d, count * sizeof(float), exchange[d]);
            cudaEventRecord(sent[d], exchange[d]);
        }
        for (int d = 0; d < 2; ++d) {
            cudaSetDevice(d);
            cudaStreamWaitEvent(exchange[d], sent[1 - d], 0);
            add<<<(count + 255) / 256, 256, 0, exchange[d]>>>(y[d] + at, received[d] + at, count);
        }
    }
    for (int d = 0; d < 2; ++d) {
        cudaSetDevice(d);
        cudaDeviceSynchronize();
        cudaStreamDestroy(compute[d]);
        cudaStreamDestroy(exchange[d]);
        cudaEventDestroy(computed[d]);
        cudaEventDestroy(sent[d]);
    }
    for (int d = 0; d < 2; ++d) {
        cudaFree(hidden[d]);
        cudaFree(received[d]);
    }
}
