// Wrong: the entries beyond the last key keep the bits that they held before the call. If all keys differ, or if the memory
// happens to be zero, nothing shows.
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

extern "C" void solve(const int* keys, const float* values, int* unique_keys, float* sums, int* count, int n) {
    thrust::device_vector<int> key(n);
    thrust::device_vector<float> value(n);
    thrust::copy(thrust::device, keys, keys + n, key.begin());
    thrust::copy(thrust::device, values, values + n, value.begin());
    thrust::sort_by_key(thrust::device, key.begin(), key.end(), value.begin());

    thrust::device_ptr<int> to_keys(unique_keys);
    thrust::device_ptr<float> to_sums(sums);
    auto ends = thrust::reduce_by_key(thrust::device, key.begin(), key.end(), value.begin(), to_keys, to_sums);
    int runs = static_cast<int>(ends.first - to_keys);
    cudaMemcpy(count, &runs, sizeof(int), cudaMemcpyHostToDevice);
}
