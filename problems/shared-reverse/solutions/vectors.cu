// Moves four floats at a time. If `segment` and `n` are multiples of 4, a segment is a row of float4: the row is
// reversed through shared memory, and the four components of each in registers. A quarter of the instructions move the
// same bytes.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kTile = 4096;  // elements

__device__ float4 mirrored(float4 v) { return make_float4(v.w, v.z, v.y, v.x); }
__device__ float mirrored(float v) { return v; }

// `Item` is float4 or float. Sizes count items.
template <typename Item>
__global__ void reverse(const Item* x, Item* y, int n, int segment, int tile) {
    extern __shared__ float4 memory[];
    Item* part = reinterpret_cast<Item*>(memory);
    int first = blockIdx.x * tile;
    int length = min(tile, n - first);
    for (int i = threadIdx.x; i < length; i += kThreads) {
        part[i] = x[first + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += kThreads) {
        int start = i / segment * segment;
        int end = min(start + segment, length);
        y[first + i] = mirrored(part[start + end - 1 - i]);
    }
}

template <typename Item>
static void launch(const float* x, float* y, int n, int segment) {
    constexpr int kWidth = sizeof(Item) / sizeof(float);
    int items = n / kWidth, per_segment = segment / kWidth;
    int tile = max(1, kTile / segment) * per_segment;
    reverse<Item><<<(items - 1) / tile + 1, kThreads, tile * sizeof(Item)>>>(
        reinterpret_cast<const Item*>(x), reinterpret_cast<Item*>(y), items, per_segment, tile);
}

extern "C" void solve(const float* x, float* y, int n, int segment) {
    if (n % 4 == 0 && segment % 4 == 0) {
        launch<float4>(x, y, n, segment);
    } else {
        launch<float>(x, y, n, segment);
    }
}
