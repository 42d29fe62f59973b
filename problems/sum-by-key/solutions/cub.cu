// The library's radix sort of pairs, then its reduction of runs in one pass. Scratch memory is allocated once for both.
//
// What bounds it: memory traffic of the radix sort, about 68 bytes per element. The result of the sort is read once more.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

extern "C" void solve(const int* keys, const float* values, int* unique_keys, float* sums, int* count, int n) {
    size_t for_sort = 0, for_runs = 0, room = 4 * size_t(n);
    cub::DeviceRadixSort::SortPairs(nullptr, for_sort, keys, unique_keys, values, sums, n);
    cub::DeviceReduce::ReduceByKey(nullptr, for_runs, keys, unique_keys, values, sums, count, cuda::std::plus<float>(), n);
    int* key;
    float* value;
    void* scratch;
    cudaMalloc(&key, room);
    cudaMalloc(&value, room);
    cudaMalloc(&scratch, for_sort > for_runs ? for_sort : for_runs);
    cub::DeviceRadixSort::SortPairs(scratch, for_sort, keys, key, values, value, n);
    cudaMemsetAsync(unique_keys, 0, room);
    cudaMemsetAsync(sums, 0, room);
    cub::DeviceReduce::ReduceByKey(scratch, for_runs, key, unique_keys, value, sums, count, cuda::std::plus<float>(), n);
    cudaFree(key);  // waits for the kernels
    cudaFree(value);
    cudaFree(scratch);
}
