// The method as Chronopoulos and Gear wrote it. With w = A r, the product A p follows from that of the direction before. So both
// sums belong to the same vectors, one kernel computes them together with w, and a second one does all the rest.
//
// What bounds it: bandwidth. It needs memory for one vector more than the usual form, but waits for sums once instead of twice.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
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

__global__ void begin(const float* b, float* x, float* r, float* p, float* s, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    x[i] = 0.0f;
    r[i] = b[i];
    p[i] = 0.0f;
    s[i] = 0.0f;
}

// w = A r, and the sums of r r and w r.
__global__ void multiply(const int* row_start, const int* column, const float* value, const float* r, float* w, float* sums,
                         int n) {
    int row = blockIdx.x * kThreads + threadIdx.x;
    float sum = 0.0f, left = 0.0f;
    if (row < n) {
        for (int at = row_start[row]; at < row_start[row + 1]; ++at) {
            sum += value[at] * r[column[at]];
        }
        w[row] = sum;
        left = r[row];
    }
    add_to(&sums[0], left * left);
    __syncthreads();  // the shared memory of add_to is used again
    add_to(&sums[1], left * sum);
}

// The direction p, s = A p, the step, and the new residual.
__global__ void step(const float* w, float* p, float* s, float* x, float* r, float alpha, float beta, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    float direction = r[i] + beta * p[i];
    float image = w[i] + beta * s[i];
    p[i] = direction;
    s[i] = image;
    x[i] += alpha * direction;
    r[i] -= alpha * image;
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* b, float* x, int* iterations,
                      int n, int nnz, float tol) {
    static float* memory = nullptr;
    static int kept = 0;
    if (n > kept) {
        cudaFree(memory);
        cudaMalloc(&memory, (4 * size_t(n) + 2) * sizeof(float));
        kept = n;
    }
    float *r = memory, *p = r + n, *s = p + n, *w = s + n, *sums = w + n;
    int blocks = (n - 1) / kThreads + 1;
    begin<<<blocks, kThreads>>>(b, x, r, p, s, n);
    float before = 0.0f, alpha = 0.0f, limit = 0.0f;
    int done = 0;
    for (;; ++done) {
        float now[2];
        cudaMemsetAsync(sums, 0, sizeof(now));
        multiply<<<blocks, kThreads>>>(row_start, column, value, r, w, sums, n);
        cudaMemcpy(now, sums, sizeof(now), cudaMemcpyDeviceToHost);
        if (done == 0) limit = tol * tol * now[0];
        if (now[0] <= limit || done == kMost) break;
        float beta = done == 0 ? 0.0f : now[0] / before;
        alpha = done == 0 ? now[0] / now[1] : now[0] / (now[1] - beta * now[0] / alpha);
        before = now[0];
        step<<<blocks, kThreads>>>(w, p, s, x, r, alpha, beta, n);
    }
    cudaMemcpy(iterations, &done, sizeof(int), cudaMemcpyHostToDevice);
}
