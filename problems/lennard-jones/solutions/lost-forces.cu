// Wrong: looks at each pair once and adds the force to both particles, with plain loads and stores. Many threads add to the
// same particle, and some of these additions are lost. Use atomicAdd, or compute each force twice.
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

__global__ void forces(const float4* sorted, const int* starts, const int* ends, float* f, int n, float box, float cutoff,
                       Grid grid) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float4 own = sorted[at];
    int i = __float_as_int(own.w);
    float3 p = make_float3(own.x, own.y, own.z);
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    int x = grid.along(p.x), y = grid.along(p.y), z = grid.along(p.z);
    int home = grid.number(x, y, z);
    for (int dz = grid.first(); dz <= grid.last(); ++dz) {
        for (int dy = grid.first(); dy <= grid.last(); ++dy) {
            for (int dx = grid.first(); dx <= grid.last(); ++dx) {
                int cell = grid.number(grid.wrapped(x + dx), grid.wrapped(y + dy), grid.wrapped(z + dz));
                if (cell < home) continue;  // its particles look at this one
                int end = ends[cell];
                for (int j = cell == home ? at + 1 : starts[cell]; j < end; ++j) {
                    float4 other = sorted[j];
                    float3 force = make_float3(0.0f, 0.0f, 0.0f);
                    add_force(force, p, make_float3(other.x, other.y, other.z), box, cutoff);
                    if (force.x == 0.0f && force.y == 0.0f && force.z == 0.0f) continue;
                    sum.x += force.x;
                    sum.y += force.y;
                    sum.z += force.z;
                    int to = __float_as_int(other.w);
                    f[3 * to] -= force.x;
                    f[3 * to + 1] -= force.y;
                    f[3 * to + 2] -= force.z;
                }
            }
        }
    }
    f[3 * i] += sum.x;
    f[3 * i + 1] += sum.y;
    f[3 * i + 2] += sum.z;
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
    cudaMemsetAsync(f, 0, 3 * size_t(n) * sizeof(float));
    forces<<<blocks(n), kThreads>>>(sorted, starts, ends, f, n, box, cutoff, grid);
}
