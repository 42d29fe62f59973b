// Wrong: adds to the sum of a run without an atomic operation. Several warps hold parts of one run: they read the same old sum,
// and all additions but one are lost.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kScan = 1024;

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

// ranks[i] is the number of runs that begin at or before i. One block walks over the keys, 1024 at a time.
__global__ void rank_heads(const int* keys, int* ranks, int n) {
    __shared__ int warps[kScan / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0;
    for (int first = 0; first < n; first += kScan) {
        int i = first + threadIdx.x;
        int head = i < n && (i == 0 || keys[i] != keys[i - 1]);
        int rank = __popc(__ballot_sync(0xffffffffu, head) & (0xffffffffu >> (31 - lane)));
        if (lane == 31) {
            warps[warp] = rank;
        }
        __syncthreads();
        int total = 0;
        for (int other = 0; other < kScan / 32; ++other) {
            rank += other < warp ? warps[other] : 0;
            total += warps[other];
        }
        if (i < n) {
            ranks[i] = before + rank;
        }
        before += total;
        __syncthreads();  // before the next chunk overwrites the totals
    }
}

__global__ void add_runs(const int* keys, const float* values, const int* ranks, int* unique_keys, float* sums,
                         int* count, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
    int run = i < n ? ranks[i] - 1 : -1;
    float sum = i < n ? values[i] : 0.0f;
    for (int distance = 1; distance < 32; distance *= 2) {
        float before = __shfl_up_sync(0xffffffffu, sum, distance);
        int run_before = __shfl_up_sync(0xffffffffu, run, distance);
        if (lane >= distance && run_before == run) {
            sum += before;
        }
    }
    int next = __shfl_down_sync(0xffffffffu, run, 1);
    if (i >= n) {
        return;
    }
    if (lane == 31 || next != run) {
        sums[run] += sum;
    }
    if (i == 0 || keys[i] != keys[i - 1]) {
        unique_keys[run] = keys[i];
    }
    if (i == n - 1) {
        *count = run + 1;
    }
}

extern "C" void solve(const int* keys, const float* values, int* unique_keys, float* sums, int* count, int n) {
    int *key, *ranks;
    float* value;
    size_t bytes = 4 * size_t(n);
    cudaMalloc(&key, bytes);
    cudaMalloc(&value, bytes);
    cudaMalloc(&ranks, bytes);
    cudaMemcpyAsync(key, keys, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpyAsync(value, values, bytes, cudaMemcpyDeviceToDevice);
    sort_pairs(key, value, n);
    rank_heads<<<1, kScan>>>(key, ranks, n);
    cudaMemsetAsync(unique_keys, 0, bytes);
    cudaMemsetAsync(sums, 0, bytes);
    add_runs<<<(n + kThreads - 1) / kThreads, kThreads>>>(key, value, ranks, unique_keys, sums, count, n);
    cudaFree(key);  // waits for the kernels
    cudaFree(value);
    cudaFree(ranks);
}
