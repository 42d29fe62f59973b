// problem: vector-add
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int half = n / 2, rest = n - half;
    for (int part = 0; part < 2; ++part) {
        int first = part * half, count = part ? rest : half;
        if (count > 0) {
            add<<<(count + 255) / 256, 256, 0, stream>>>(a + first, b + first, c + first, count);
            cudaStreamSynchronize(stream);  // doctor: needless_wait
        }
    }
    cudaStreamDestroy(stream);
}
