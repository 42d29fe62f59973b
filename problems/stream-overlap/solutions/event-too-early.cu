// Wrong: the event is recorded before the copy is submitted, so it stands for the copies of earlier chunks only. The
// kernel waits for it and still finds old data.
#include <cuda_runtime.h>

__global__ void softsign(const float* x, float* y, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        y[i] = x[i] / (1.0f + fabsf(x[i]));
    }
}

extern "C" void solve(const float* x, float* y, int n, int chunks) {
    int most = (n + chunks - 1) / chunks;
    size_t all = n * sizeof(float);
    float *device_x, *device_y;
    cudaMalloc(&device_x, all);
    cudaMalloc(&device_y, all);
    cudaStream_t in, compute, out;
    cudaStreamCreate(&in);
    cudaStreamCreate(&compute);
    cudaStreamCreate(&out);
    cudaEvent_t arrived, computed;
    cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&computed, cudaEventDisableTiming);
    for (int first = 0; first < n; first += most) {
        int count = n - first < most ? n - first : most;
        size_t bytes = count * sizeof(float);
        cudaEventRecord(arrived, in);
        cudaMemcpyAsync(device_x + first, x + first, bytes, cudaMemcpyHostToDevice, in);
        cudaStreamWaitEvent(compute, arrived, 0);
        softsign<<<(count + 255) / 256, 256, 0, compute>>>(device_x + first, device_y + first, count);
        cudaEventRecord(computed, compute);
        cudaStreamWaitEvent(out, computed, 0);
        cudaMemcpyAsync(y + first, device_y + first, bytes, cudaMemcpyDeviceToHost, out);
    }
    cudaStreamSynchronize(out);  // which waits for all of the others' work
    cudaStreamDestroy(in);
    cudaStreamDestroy(compute);
    cudaStreamDestroy(out);
    cudaEventDestroy(arrived);
    cudaEventDestroy(computed);
    cudaFree(device_x);
    cudaFree(device_y);
}
