// Adds in a hash table with linear probing, gathers the used slots, and sorts the distinct keys only.
//
// What bounds it: random access. A probe moves a sector of 32 bytes for a slot, the addition another one for the sum.
// Neighbours with the same key are added in the warp first, because an eighth of all values goes to one address.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
using Slot = unsigned long long;
constexpr Slot kUsed = Slot(1) << 32;  // above the key: every int is a key, none can mark a free slot

// One step of a sorting network: the smaller key of each pair goes to the lower index. In the first step of a stage the pairs
// are mirrored (mask = length - 1), so all comparators point the same way, and n need not be a power of two.
__global__ void compare_step(int* keys, float* values, unsigned mask, int n) {
    unsigned i = blockIdx.x * kThreads + threadIdx.x, other = i ^ mask;
    if (other > i && other < n && keys[other] < keys[i]) {
        int key = keys[i];
        keys[i] = keys[other];
        keys[other] = key;
        float value = values[i];
        values[i] = values[other];
        values[other] = value;
    }
}

static void sort_pairs(int* keys, float* values, int n) {
    int blocks = (n + kThreads - 1) / kThreads;
    for (unsigned length = 2; length / 2 < n; length *= 2) {
        compare_step<<<blocks, kThreads>>>(keys, values, length - 1, n);
        for (unsigned distance = length / 4; distance > 0; distance /= 2) {
            compare_step<<<blocks, kThreads>>>(keys, values, distance, n);
        }
    }
}

__global__ void insert(const int* keys, const float* values, Slot* slots, float* totals, unsigned mask, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
    unsigned active = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) {
        return;
    }
    int key = keys[i];
    unsigned same = __match_any_sync(active, key);
    float own = values[i], sum = 0.0f;
    for (int other = 0; other < 32; ++other) {  // all lanes take part in every shuffle
        float value = __shfl_sync(active, own, active >> other & 1 ? other : lane);
        if (same >> other & 1) {
            sum += value;
        }
    }
    if (lane != __ffs(same) - 1) {
        return;
    }
    Slot wanted = kUsed | unsigned(key);
    unsigned at = (unsigned(key) * 2654435769u >> 7) & mask;
    while (true) {
        Slot found = atomicCAS(slots + at, Slot(0), wanted);
        if (found == 0 || found == wanted) {
            break;
        }
        at = (at + 1) & mask;
    }
    atomicAdd(totals + at, sum);
}

__global__ void gather(const Slot* slots, const float* totals, int* keys, float* sums, int* count, unsigned size) {
    unsigned i = blockIdx.x * kThreads + threadIdx.x;
    if (i < size && slots[i] != 0) {
        int at = atomicAdd(count, 1);
        keys[at] = int(unsigned(slots[i]));
        sums[at] = totals[i];
    }
}

extern "C" void solve(const int* keys, const float* values, int* unique_keys, float* sums, int* count, int n) {
    unsigned size = 1;
    while (size < 2u * n) {
        size *= 2;
    }
    Slot* slots;
    float* totals;
    cudaMalloc(&slots, size * sizeof(Slot));
    cudaMalloc(&totals, size * sizeof(float));
    cudaMemsetAsync(slots, 0, size * sizeof(Slot));
    cudaMemsetAsync(totals, 0, size * sizeof(float));
    cudaMemsetAsync(count, 0, sizeof(int));
    cudaMemsetAsync(unique_keys, 0, 4 * size_t(n));
    cudaMemsetAsync(sums, 0, 4 * size_t(n));
    insert<<<(n + kThreads - 1) / kThreads, kThreads>>>(keys, values, slots, totals, size - 1, n);
    gather<<<(size + kThreads - 1) / kThreads, kThreads>>>(slots, totals, unique_keys, sums, count, size);
    int runs = 0;
    cudaMemcpy(&runs, count, sizeof(int), cudaMemcpyDeviceToHost);
    sort_pairs(unique_keys, sums, runs);
    cudaFree(slots);  // waits for the kernels
    cudaFree(totals);
}
