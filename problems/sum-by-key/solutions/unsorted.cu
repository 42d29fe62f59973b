// Wrong: thrust::reduce_by_key adds runs of equal neighbours and does not look further. Without a sort, a key that occurs in
// three places gets three entries. It is the same misunderstanding as with the tool uniq on unsorted lines.
#include <thrust/copy.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/reduce.h>

extern "C" void solve(const int* keys, const float* values, int* unique_keys, float* sums, int* count, int n) {
    thrust::device_vector<int> key(n);
    thrust::device_vector<float> value(n);
    thrust::copy(thrust::device, keys, keys + n, key.begin());
    thrust::copy(thrust::device, values, values + n, value.begin());

    thrust::device_ptr<int> to_keys(unique_keys);
    thrust::device_ptr<float> to_sums(sums);
    auto ends = thrust::reduce_by_key(thrust::device, key.begin(), key.end(), value.begin(), to_keys, to_sums);
    int runs = static_cast<int>(ends.first - to_keys);
    thrust::fill(thrust::device, to_keys + runs, to_keys + n, 0);
    thrust::fill(thrust::device, to_sums + runs, to_sums + n, 0.0f);
    cudaMemcpy(count, &runs, sizeof(int), cudaMemcpyHostToDevice);
}
