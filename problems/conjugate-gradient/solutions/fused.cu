// Three kernels per iteration: the product with its sum, the step with the sum of squares, and the new direction. Each iteration
// has places of its own for the sums, so none must be set to zero. The host looks at the residuals of eight
// iterations at a time. Kernels that come after the end return at once.
//
// What bounds it: bandwidth. Vectors are read or written 11 times in each iteration, and four lanes read a row together.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kLanes = 4;   // of a warp, for each row
constexpr int kAtATime = 8;  // iterations between two looks at the residual
constexpr int kMost = 100;  // iterations

// Adds up `v` over the block and adds the result to `*total`.
__device__ void add_to(float* total, float v) {
    __shared__ float part[kThreads / 32];
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (float p : part) sum += p;
        atomicAdd(total, sum);
    }
}

// squares[k] is the sum of squares of the residual after k iterations. All are zero at first. If one is small enough, the
// kernels of this and all later iterations do nothing, so the host may launch more of them than are needed.
__device__ bool finished(const float* squares, int k, float tol) { return squares[k] <= tol * tol * squares[0]; }

__global__ void begin(const float* b, float* x, float* r, float* p, float* squares, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    float v = i < n ? b[i] : 0.0f;
    if (i < n) {
        x[i] = 0.0f;
        r[i] = v;
        p[i] = v;
    }
    add_to(squares, v * v);
}

// q = A p and the sum of p q. Four lanes share a row.
__global__ void multiply(const int* row_start, const int* column, const float* value, const float* p, float* q,
                         const float* squares, float* curvatures, int k, int n, float tol) {
    if (finished(squares, k, tol)) return;
    int row = (blockIdx.x * kThreads + threadIdx.x) / kLanes, lane = threadIdx.x % kLanes;
    float sum = 0.0f;
    if (row < n) {
        for (int at = row_start[row] + lane; at < row_start[row + 1]; at += kLanes) {
            sum += value[at] * p[column[at]];
        }
    }
    for (int step = kLanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step, kLanes);
    bool writes = row < n && lane == 0;
    if (writes) q[row] = sum;
    add_to(&curvatures[k], writes ? sum * p[row] : 0.0f);
}

__global__ void step(const float* p, const float* q, float* x, float* r, float* squares, const float* curvatures, int k, int n,
                     float tol) {
    if (finished(squares, k, tol)) return;
    int i = blockIdx.x * kThreads + threadIdx.x;
    float left = 0.0f;
    if (i < n) {
        float alpha = squares[k] / curvatures[k];
        x[i] += alpha * p[i];
        left = r[i] - alpha * q[i];
        r[i] = left;
    }
    add_to(&squares[k + 1], left * left);
}

__global__ void turn(const float* r, float* p, const float* squares, int k, int n, float tol) {
    if (finished(squares, k, tol)) return;
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) p[i] = r[i] + squares[k + 1] / squares[k] * p[i];
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* b, float* x, int* iterations,
                      int n, int nnz, float tol) {
    static float* memory = nullptr;
    static int kept = 0;
    size_t sums = 2 * (kMost + kAtATime + 1);
    if (n > kept) {
        cudaFree(memory);
        cudaMalloc(&memory, (3 * size_t(n) + sums) * sizeof(float));
        kept = n;
    }
    float *squares = memory, *curvatures = squares + sums / 2, *r = squares + sums, *p = r + n, *q = p + n;
    int blocks = (n - 1) / kThreads + 1;
    int row_blocks = (n - 1) / (kThreads / kLanes) + 1;
    cudaMemsetAsync(memory, 0, sums * sizeof(float));
    begin<<<blocks, kThreads>>>(b, x, r, p, squares, n);
    float recent[kAtATime + 1], limit = 0.0f;
    int done = 0;
    for (bool ready = false; !ready && done < kMost;) {
        for (int k = done; k < done + kAtATime; ++k) {
            multiply<<<row_blocks, kThreads>>>(row_start, column, value, p, q, squares, curvatures, k, n, tol);
            step<<<blocks, kThreads>>>(p, q, x, r, squares, curvatures, k, n, tol);
            turn<<<blocks, kThreads>>>(r, p, squares, k, n, tol);
        }
        cudaMemcpy(recent, squares + done, sizeof(recent), cudaMemcpyDeviceToHost);
        if (done == 0) limit = tol * tol * recent[0];
        int last = 0;
        while (last < kAtATime && recent[last] > limit) ++last;
        ready = recent[last] <= limit;
        done += last;
    }
    cudaMemcpy(iterations, &done, sizeof(int), cudaMemcpyHostToDevice);
}
