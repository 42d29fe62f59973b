// The library's reduction: what NVIDIA ships with the toolkit. Scratch memory is kept for as long as it is large enough.
#include <cub/device/device_reduce.cuh>

extern "C" void solve(const float* input, float* output, int n) {
    static void* scratch = nullptr;
    static size_t kept = 0;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, input, output, n);
    if (bytes > kept) {
        cudaFree(scratch);
        cudaMalloc(&scratch, bytes);
        kept = bytes;
    }
    cub::DeviceReduce::Sum(scratch, bytes, input, output, n);
}
