// Wrong: copies and kernels are in different streams, and no event tells the kernel that its input is there. The order of
// the calls on the host orders nothing on the device.
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
    cudaEvent_t computed;
    cudaEventCreateWithFlags(&computed, cudaEventDisableTiming);
    for (int first = 0; first < n; first += most) {
        int count = n - first < most ? n - first : most;
        size_t bytes = count * sizeof(float);
        cudaMemcpyAsync(device_x + first, x + first, bytes, cudaMemcpyHostToDevice, in);
        softsign<<<(count + 255) / 256, 256, 0, compute>>>(device_x + first, device_y + first, count);
        cudaEventRecord(computed, compute);
        cudaStreamWaitEvent(out, computed, 0);
        cudaMemcpyAsync(y + first, device_y + first, bytes, cudaMemcpyDeviceToHost, out);
    }
    cudaStreamSynchronize(out);  // which waits for all of the others' work
    cudaStreamDestroy(in);
    cudaStreamDestroy(compute);
    cudaStreamDestroy(out);
    cudaEventDestroy(computed);
    cudaFree(device_x);
    cudaFree(device_y);
}
