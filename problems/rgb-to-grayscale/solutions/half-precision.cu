// Wrong: computes in float16, which has 11 significant bits. The problem asks for float32, and the memory
// would not be any faster for it: the loads stay the same.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void grayscale(const float* rgb, float* gray, int pixels) {
    int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < pixels) {
        __half r = __float2half(rgb[3 * pixel]);
        __half g = __float2half(rgb[3 * pixel + 1]);
        __half b = __float2half(rgb[3 * pixel + 2]);
        __half sum = __hmul(__float2half(0.299f), r);
        sum = __hfma(__float2half(0.587f), g, sum);
        sum = __hfma(__float2half(0.114f), b, sum);
        gray[pixel] = __half2float(sum);
    }
}

extern "C" void solve(const float* rgb, float* gray, int rows, int cols) {
    int pixels = rows * cols;
    grayscale<<<(pixels + 255) / 256, 256>>>(rgb, gray, pixels);
}
