// Right, but slow: the sums of the definition, one thread for each frequency. The angle is reduced in integers, so its
// cosine is exact for any j k. It takes n operations for each number instead of log n.
#include <cuda_runtime.h>

__global__ void spectrum(const float* x, float* power, int n) {
    int k = blockIdx.y * blockDim.x + threadIdx.x;
    int frequencies = n / 2 + 1;
    if (k >= frequencies) return;
    const float* signal = x + size_t(blockIdx.x) * n;
    float real = 0.0f, imaginary = 0.0f;
    int turned = 0;  // j k modulo n
    for (int j = 0; j < n; ++j) {
        float window = 0.5f - 0.5f * cospif(2.0f * j / n);
        float sine, cosine;
        sincospif(2.0f * turned / n, &sine, &cosine);
        real += window * signal[j] * cosine;
        imaginary -= window * signal[j] * sine;
        turned += k;
        if (turned >= n) turned -= n;
    }
    power[size_t(blockIdx.x) * frequencies + k] = (real * real + imaginary * imaginary) / n;
}

extern "C" void solve(const float* x, float* power, int batch, int n) {
    spectrum<<<dim3(batch, n / 2 / 128 + 1), 128>>>(x, power, n);
}
