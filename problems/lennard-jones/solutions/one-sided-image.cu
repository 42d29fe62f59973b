// Wrong: the difference of two positions may be more than half a box in both directions. This program moves the other particle
// only if the difference is positive, so of two particles at opposite sides of the box, only one feels the other.
#include <cuda_runtime.h>

constexpr int kTile = 256;

// The difference to the nearest of all periodic images. The box is at least two cutoffs wide.
__device__ float nearest(float d, float box) {
    if (d > 0.5f * box) return d - box;
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

__global__ void forces(const float* pos, float* f, int n, float box, float cutoff) {
    __shared__ float3 tile[kTile];
    int i = blockIdx.x * kTile + threadIdx.x;
    int mine = min(i, n - 1);  // threads beyond the end still load tiles
    float3 p = make_float3(pos[3 * mine], pos[3 * mine + 1], pos[3 * mine + 2]);
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int first = 0; first < n; first += kTile) {
        int j = first + threadIdx.x;
        if (j < n) tile[threadIdx.x] = make_float3(pos[3 * j], pos[3 * j + 1], pos[3 * j + 2]);
        __syncthreads();  // the tile is complete
        int count = min(kTile, n - first);
        for (int l = 0; l < count; ++l) {
            if (first + l != i) add_force(sum, p, tile[l], box, cutoff);
        }
        __syncthreads();  // all threads have finished with it
    }
    if (i < n) {
        f[3 * i] = sum.x;
        f[3 * i + 1] = sum.y;
        f[3 * i + 2] = sum.z;
    }
}

extern "C" void solve(const float* pos, float* f, int n, float box, float cutoff) {
    forces<<<(n - 1) / kTile + 1, kTile>>>(pos, f, n, box, cutoff);
}
