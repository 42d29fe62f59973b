// The library's scan: what NVIDIA ships with the toolkit. Scratch memory is kept for as long as it is large enough.
#include <cub/device/device_scan.cuh>

extern "C" void solve(const float* input, float* output, int n) {
    static void* scratch = nullptr;
    static size_t kept = 0;
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, input, output, n);
    if (bytes > kept) {
        cudaFree(scratch);
        cudaMalloc(&scratch, bytes);
        kept = bytes;
    }
    cub::DeviceScan::InclusiveSum(scratch, bytes, input, output, n);
}
