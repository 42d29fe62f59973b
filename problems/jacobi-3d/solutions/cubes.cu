// A block copies a cuboid of 34 x 10 x 10 points into shared memory, and computes the 32 x 8 x 8 points inside.
//
// What bounds it: device memory, and the borders. The block loads 3400 values for 2048 results, 1.7 times as many. Thin tiles
// would be worse: 34 x 10 x 3 for a single plane of 32 x 8 is 4 times as many. A cuboid needs no march and few registers.
#include <cuda_runtime.h>

constexpr int kAcross = 32;
constexpr int kDown = 8;
constexpr int kPlanes = 8;

__global__ void step(const float* u, float* result, int nz, int ny, int nx) {
    __shared__ float tile[kPlanes + 2][kDown + 2][kAcross + 2];
    int x0 = blockIdx.x * kAcross, y0 = blockIdx.y * kDown, z0 = blockIdx.z * kPlanes;
    // A warp for each row of the cuboid.
    for (int row = threadIdx.y; row < (kPlanes + 2) * (kDown + 2); row += kDown) {
        int tz = row / (kDown + 2), ty = row % (kDown + 2), z = z0 + tz - 1, y = y0 + ty - 1;
        for (int tx = threadIdx.x; tx < kAcross + 2; tx += kAcross) {
            int x = x0 + tx - 1;
            bool inside = z >= 0 && z < nz && y >= 0 && y < ny && x >= 0 && x < nx;
            tile[tz][ty][tx] = inside ? u[(size_t(z) * ny + y) * nx + x] : 0.0f;
        }
    }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    if (x >= nx || y >= ny) {
        return;
    }
    bool border = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
    for (int tz = 1; tz <= kPlanes && z0 + tz - 1 < nz; ++tz) {
        int z = z0 + tz - 1;
        float sum = tile[tz - 1][ty][tx] + tile[tz + 1][ty][tx] + tile[tz][ty - 1][tx] + tile[tz][ty + 1][tx] +
                    tile[tz][ty][tx - 1] + tile[tz][ty][tx + 1];
        result[(size_t(z) * ny + y) * nx + x] = border || z == 0 || z == nz - 1 ? tile[tz][ty][tx] : sum / 6.0f;
    }
}

extern "C" void solve(const float* u, float* result, int nz, int ny, int nx, int steps) {
    static float* scratch = nullptr;
    static size_t kept = 0;
    size_t points = size_t(nz) * ny * nx;
    if (points > kept) {
        cudaFree(scratch);
        cudaMalloc(&scratch, points * sizeof(float));
        kept = points;
    }
    dim3 grid((nx - 1) / kAcross + 1, (ny - 1) / kDown + 1, (nz - 1) / kPlanes + 1);
    const float* from = u;
    for (int left = steps; left > 0; --left) {
        float* to = left % 2 == 1 ? result : scratch;  // the last step writes the result
        step<<<grid, dim3(kAcross, kDown)>>>(from, to, nz, ny, nx);
        from = to;
    }
}
