// Wrong: dot adds to its result, which is set to zero before the first iteration only. From the second one on, the sums
// contain those of all iterations before. Set them to zero each time.
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

__global__ void begin(const float* b, float* x, float* r, float* p, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    x[i] = 0.0f;
    r[i] = b[i];
    p[i] = b[i];
}

__global__ void multiply(const int* row_start, const int* column, const float* value, const float* p, float* q, int n) {
    int row = blockIdx.x * kThreads + threadIdx.x;
    if (row >= n) return;
    float sum = 0.0f;
    for (int at = row_start[row]; at < row_start[row + 1]; ++at) {
        sum += value[at] * p[column[at]];
    }
    q[row] = sum;
}

__global__ void dot(const float* u, const float* v, float* total, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    add_to(total, i < n ? u[i] * v[i] : 0.0f);
}

__global__ void step(const float* p, const float* q, const float* square, const float* curvature, float* x, float* r, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    float alpha = *square / *curvature;
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

__global__ void turn(const float* r, float* p, const float* before, const float* square, int n) {
    int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) p[i] = r[i] + *square / *before * p[i];
}

extern "C" void solve(const int* row_start, const int* column, const float* value, const float* b, float* x, int* iterations,
                      int n, int nnz, float tol) {
    static float* memory = nullptr;
    static int kept = 0;
    if (n > kept) {
        cudaFree(memory);
        cudaMalloc(&memory, (3 * size_t(n) + 3) * sizeof(float));
        kept = n;
    }
    float *r = memory, *p = r + n, *q = p + n, *curvature = q + n, *before = curvature + 1, *square = before + 1;
    int blocks = (n - 1) / kThreads + 1;
    begin<<<blocks, kThreads>>>(b, x, r, p, n);
    cudaMemsetAsync(square, 0, sizeof(float));
    dot<<<blocks, kThreads>>>(r, r, square, n);
    float now = 0.0f;
    cudaMemcpy(&now, square, sizeof(float), cudaMemcpyDeviceToHost);
    float limit = tol * tol * now;
    int done = 0;
    while (done < kMost && now > limit) {
        multiply<<<blocks, kThreads>>>(row_start, column, value, p, q, n);
        if (done == 0) cudaMemsetAsync(curvature, 0, sizeof(float));
        dot<<<blocks, kThreads>>>(p, q, curvature, n);
        step<<<blocks, kThreads>>>(p, q, square, curvature, x, r, n);
        cudaMemcpyAsync(before, square, sizeof(float), cudaMemcpyDeviceToDevice);
        cudaMemsetAsync(square, 0, sizeof(float));
        dot<<<blocks, kThreads>>>(r, r, square, n);
        turn<<<blocks, kThreads>>>(r, p, before, square, n);
        cudaMemcpy(&now, square, sizeof(float), cudaMemcpyDeviceToHost);
        ++done;
    }
    cudaMemcpy(iterations, &done, sizeof(int), cudaMemcpyHostToDevice);
}
