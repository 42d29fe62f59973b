// A texture can also read ordinary memory, if each row begins at an aligned address. Rows of any width do not, so they are copied with a
// pitch. The texels stay in the order of rows.
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
    if (i < n) out[i] = polynomial(tex2D<float>(image, at[i].x, at[i].y));
}

extern "C" void solve(const float* img, const float* at, const float* coef, float* out, int h, int w, int n) {
    cudaMemcpyToSymbol(coefficients, coef, sizeof(coefficients), 0, cudaMemcpyDeviceToDevice);
    float* rows;
    size_t pitch;
    const size_t row_bytes = w * sizeof(float);
    cudaMallocPitch(&rows, &pitch, row_bytes, h);
    cudaMemcpy2D(rows, pitch, img, row_bytes, row_bytes, h, cudaMemcpyDeviceToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = w;
    resource.res.pitch2D.height = h;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &how, nullptr);
    sample<<<(n - 1) / kThreads + 1, kThreads>>>(image, reinterpret_cast<const float2*>(at), out, n);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaFree(rows);
}
