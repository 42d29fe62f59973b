// The library's radix sort: what NVIDIA ships with the toolkit. It takes two buffers in turn and says in which of them
// the result lies. Scratch memory is kept for as long as it is large enough.
#include <cub/device/device_radix_sort.cuh>

extern "C" void solve(float* data, int n) {
    static void* scratch = nullptr;
    static float* other = nullptr;
    static size_t kept = 0;
    static int longest = 0;
    if (n > longest) {
        cudaFree(other);
        cudaMalloc(reinterpret_cast<void**>(&other), n * sizeof(float));
        longest = n;
    }
    cub::DoubleBuffer<float> keys(data, other);
    size_t bytes = 0;
    cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, n);
    if (bytes > kept) {
        cudaFree(scratch);
        cudaMalloc(&scratch, bytes);
        kept = bytes;
    }
    cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, n);
    if (keys.Current() != data) {
        cudaMemcpyAsync(data, keys.Current(), n * sizeof(float), cudaMemcpyDeviceToDevice, 0);
    }
}
