// A block walks up through the planes. The values below, at and above a point are in registers, and the plane in the middle is in
// shared memory, with a border of one point, for the neighbours in x and y.
//
// What bounds it: device memory. Each value is loaded once per step, plus the borders of the tiles: 34 x 10 points for 32 x 8
// results. A row of 34 floats touches six sectors instead of four.
#include <cuda_runtime.h>

constexpr int kAcross = 32;
constexpr int kDown = 8;
constexpr int kPlanes = 32;  // that a block walks through

__global__ void step(const float* u, float* result, int nz, int ny, int nx) {
    __shared__ float plane[kDown + 2][kAcross + 2];
    int x = blockIdx.x * kAcross + threadIdx.x, y = blockIdx.y * kDown + threadIdx.y;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int first = blockIdx.z * kPlanes, last = min(first + kPlanes, nz);
    bool inside = x < nx && y < ny;
    bool border = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
    size_t size = size_t(ny) * nx, at = first * size + size_t(y) * nx + x;
    float below = inside && first > 0 ? u[at - size] : 0.0f;
    float middle = inside ? u[at] : 0.0f;
    for (int z = first; z < last; ++z) {
        float above = inside && z + 1 < nz ? u[at + size] : 0.0f;
        __syncthreads();  // no thread may change the plane before all have used it
        plane[ty][tx] = middle;
        if (inside && threadIdx.x == 0 && x > 0) plane[ty][0] = u[at - 1];
        if (inside && threadIdx.x == kAcross - 1 && x + 1 < nx) plane[ty][kAcross + 1] = u[at + 1];
        if (inside && threadIdx.y == 0 && y > 0) plane[0][tx] = u[at - nx];
        if (inside && threadIdx.y == kDown - 1 && y + 1 < ny) plane[kDown + 1][tx] = u[at + nx];
        __syncthreads();
        if (inside) {
            float sum = below + above + plane[ty - 1][tx] + plane[ty + 1][tx] + plane[ty][tx - 1] + plane[ty][tx + 1];
            result[at] = border || z == 0 || z == nz - 1 ? middle : sum / 6.0f;
        }
        below = middle;
        middle = above;
        at += size;
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
