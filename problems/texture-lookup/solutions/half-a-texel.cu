// A texel covers the coordinates from its index to the next one. Adding a half rounds to the nearest border instead.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kCoefficients = 8;

__constant__ float coefficients[kCoefficients];

__device__ float polynomial(float texel) {
    float sum = 0.0f;
    for (int k = kCoefficients - 1; k >= 0; --k) sum = sum * texel + coefficients[k];
    return sum;
}

__global__ void sample(cudaTextureObject_t image, const float2* at, float* out, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) out[i] = polynomial(tex2D<float>(image, at[i].x + 0.5f, at[i].y + 0.5f));
}

extern "C" void solve(const float* img, const float* at, const float* coef, float* out, int h, int w, int n) {
    cudaMemcpyToSymbol(coefficients, coef, sizeof(coefficients), 0, cudaMemcpyDeviceToDevice);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, w, h);
    const size_t row_bytes = w * sizeof(float);
    cudaMemcpy2DToArray(array, 0, 0, img, row_bytes, row_bytes, h, cudaMemcpyDeviceToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &how, nullptr);
    sample<<<(n - 1) / kThreads + 1, kThreads>>>(image, reinterpret_cast<const float2*>(at), out, n);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaFreeArray(array);
}
