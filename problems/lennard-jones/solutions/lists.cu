// Cells are used to fill a list of neighbours for each particle. The forces come from the lists, without pairs that are too
// far apart.
//
// What bounds it: filling the lists, which takes as long as computing forces from cells. Simulations fill them with a slightly
// larger cutoff and use them for ten or twenty steps.
#include <cuda_runtime.h>

#include <algorithm>

constexpr int kThreads = 128;
constexpr int kMostCells = 256;  // per side

// The cells in order of x, then y, then z.
struct Grid {
    int cells;   // per side
    float scale;  // cells per unit of length

    __device__ int along(float p) const { return min(int(p * scale), cells - 1); }
    __device__ int number(int x, int y, int z) const { return (z * cells + y) * cells + x; }
    __device__ int of(float3 p) const { return number(along(p.x), along(p.y), along(p.z)); }
    // Cells to look at in each direction, from first() to last(). With fewer than three, this is each of them once.
    __device__ int first() const { return cells < 3 ? 0 : -1; }
    __device__ int last() const { return cells < 3 ? cells - 1 : 1; }
    __device__ int wrapped(int at) const { return at < 0 ? at + cells : at >= cells ? at - cells : at; }
};

__device__ float3 position(const float* pos, int i) { return make_float3(pos[3 * i], pos[3 * i + 1], pos[3 * i + 2]); }

// The difference to the nearest of all periodic images. The box is at least two cutoffs wide.
__device__ float nearest(float d, float box) {
    if (d > 0.5f * box) return d - box;
    if (d < -0.5f * box) return d + box;
    return d;
}

// Adds the force on a particle at `p` from one at `q`.
__device__ void add_force(float3& f, float3 p, float3 q, float box, float cutoff) {
    float x = nearest(p.x - q.x, box), y = nearest(p.y - q.y, box), z = nearest(p.z - q.z, box);
    float square = x * x + y * y + z * z;
    if (square >= cutoff * cutoff) return;
    float inverse = 1.0f / square;
    float sixth = inverse * inverse * inverse;
    float push = 24.0f * inverse * sixth * (2.0f * sixth - 1.0f);
    f.x += push * x;
    f.y += push * y;
    f.z += push * z;
}

__global__ void count(const float* pos, int* counts, int n, Grid grid) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[grid.of(position(pos, i))], 1);
}

// Each cell takes a range of places. The order of the ranges does not matter, so no prefix sum is needed.
__global__ void reserve(const int* counts, int* starts, int* ends, int* taken, int all) {
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= all) return;
    int start = atomicAdd(taken, counts[cell]);
    starts[cell] = start;
    ends[cell] = start;
}

__global__ void place(const float* pos, float4* sorted, int* ends, int n, Grid grid) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = position(pos, i);
    sorted[atomicAdd(&ends[grid.of(p)], 1)] = make_float4(p.x, p.y, p.z, __int_as_float(i));
}

// Calls `use` with the place of each neighbour of the particle at `at`.
template <typename Use>
__device__ void neighbours(const float4* sorted, const int* starts, const int* ends, int at, float box, float cutoff,
                           Grid grid, Use use) {
    float4 p = sorted[at];
    int x = grid.along(p.x), y = grid.along(p.y), z = grid.along(p.z);
    for (int dz = grid.first(); dz <= grid.last(); ++dz) {
        for (int dy = grid.first(); dy <= grid.last(); ++dy) {
            for (int dx = grid.first(); dx <= grid.last(); ++dx) {
                int cell = grid.number(grid.wrapped(x + dx), grid.wrapped(y + dy), grid.wrapped(z + dz));
                int end = ends[cell];
                for (int j = starts[cell]; j < end; ++j) {
                    float4 q = sorted[j];
                    float gx = nearest(p.x - q.x, box), gy = nearest(p.y - q.y, box), gz = nearest(p.z - q.z, box);
                    if (j != at && gx * gx + gy * gy + gz * gz < cutoff * cutoff) use(j);
                }
            }
        }
    }
}

__global__ void measure(const float4* sorted, const int* starts, const int* ends, int* lengths, int* begins, int* total,
                        int n, float box, float cutoff, Grid grid) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    int length = 0;
    neighbours(sorted, starts, ends, at, box, cutoff, grid, [&](int) { ++length; });
    lengths[at] = length;
    begins[at] = atomicAdd(total, length);
}

__global__ void fill(const float4* sorted, const int* starts, const int* ends, const int* begins, int* list, int n,
                     float box, float cutoff, Grid grid) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    int next = begins[at];
    neighbours(sorted, starts, ends, at, box, cutoff, grid, [&](int j) { list[next++] = j; });
}

__global__ void forces(const float4* sorted, const int* begins, const int* lengths, const int* list, float* f, int n,
                       float box, float cutoff) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float4 own = sorted[at];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int l = 0; l < lengths[at]; ++l) {
        float4 other = sorted[list[begins[at] + l]];
        add_force(sum, make_float3(own.x, own.y, own.z), make_float3(other.x, other.y, other.z), box, cutoff);
    }
    int i = __float_as_int(own.w);
    f[3 * i] = sum.x;
    f[3 * i + 1] = sum.y;
    f[3 * i + 2] = sum.z;
}

int blocks(int threads) { return (threads - 1) / kThreads + 1; }

// Memory that lasts from call to call.
struct Scratch {
    void* memory = nullptr;
    size_t bytes = 0;

    void* reserve(size_t needed) {
        if (needed > bytes) {
            cudaFree(memory);
            cudaMalloc(&memory, needed);
            bytes = needed;
        }
        return memory;
    }
};

extern "C" void solve(const float* pos, float* f, int n, float box, float cutoff) {
    static Scratch scratch;
    int cells = std::max(1, std::min(int(box / cutoff), kMostCells));
    int all = cells * cells * cells;
    Grid grid{cells, cells / box};
    auto sorted = static_cast<float4*>(scratch.reserve(n * sizeof(float4) + (3 * size_t(all) + 1) * sizeof(int)));
    int* counts = reinterpret_cast<int*>(sorted + n);
    int* starts = counts + all;
    int* ends = starts + all;
    int* taken = ends + all;
    cudaMemsetAsync(counts, 0, (3 * size_t(all) + 1) * sizeof(int));
    count<<<blocks(n), kThreads>>>(pos, counts, n, grid);
    reserve<<<blocks(all), kThreads>>>(counts, starts, ends, taken, all);
    place<<<blocks(n), kThreads>>>(pos, sorted, ends, n, grid);

    static Scratch places, lists;
    int* lengths = static_cast<int*>(places.reserve((2 * size_t(n) + 1) * sizeof(int)));
    int* begins = lengths + n;
    int* total = begins + n;
    cudaMemsetAsync(total, 0, sizeof(int));
    measure<<<blocks(n), kThreads>>>(sorted, starts, ends, lengths, begins, total, n, box, cutoff, grid);
    int needed = 0;
    cudaMemcpy(&needed, total, sizeof(int), cudaMemcpyDeviceToHost);
    int* list = static_cast<int*>(lists.reserve(std::max(needed, 1) * sizeof(int)));
    fill<<<blocks(n), kThreads>>>(sorted, starts, ends, begins, list, n, box, cutoff, grid);
    forces<<<blocks(n), kThreads>>>(sorted, begins, lengths, list, f, n, box, cutoff);
}
