// Right, but queries, keys and values come from three products of the same input. One product with the rows of all
// three in one matrix has a larger grid, reads the input once, and saves two launches.
#include <cuda_fp16.h>

constexpr int kThreads = 128;

__global__ void normalise(const __half* x, const __half* gamma, const __half* beta, __half* z, int rows, int d) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    x += size_t(row) * d;
    z += size_t(row) * d;
    float mean = 0.0f, variance = 0.0f;
    for (int i = 0; i < d; ++i) mean += __half2float(x[i]);
    mean /= d;
    for (int i = 0; i < d; ++i) variance += (__half2float(x[i]) - mean) * (__half2float(x[i]) - mean);
    float scale = rsqrtf(variance / d + 1e-5f);
    for (int i = 0; i < d; ++i) {
        z[i] = __float2half((__half2float(x[i]) - mean) * scale * __half2float(gamma[i]) + __half2float(beta[i]));
    }
}

// out = a times the transpose of w, where out has rows of `stride` elements.
__global__ void multiply(const __half* a, const __half* w, __half* out, int columns, int inner, int stride) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    size_t row = blockIdx.y;
    if (column >= columns) return;
    float sum = 0.0f;
    for (int i = 0; i < inner; ++i) sum += __half2float(a[row * inner + i]) * __half2float(w[size_t(column) * inner + i]);
    out[row * stride + column] = __float2half(sum);
}

// The head of the block is the third index of the grid, counted over all sequences from `first`.
__global__ void find_scores(const __half* qkv, float* scores, int n, int heads, int dim, int first) {
    int key = blockIdx.x * blockDim.x + threadIdx.x, query = blockIdx.y, head = first + blockIdx.z, d = heads * dim;
    if (key >= n) return;
    const __half* sequence = qkv + size_t(head / heads) * n * 3 * d + head % heads * dim;
    float sum = 0.0f;
    for (int c = 0; c < dim; ++c) {
        sum += __half2float(sequence[size_t(query) * 3 * d + c]) * __half2float(sequence[size_t(key) * 3 * d + d + c]);
    }
    scores[(size_t(head) * n + query) * n + key] = key <= query ? sum * rsqrtf(dim) : -INFINITY;
}

__global__ void softmax(float* scores, int n, int first) {
    int query = blockIdx.x * blockDim.x + threadIdx.x;
    if (query >= n) return;
    float* row = scores + (size_t(first + blockIdx.y) * n + query) * n;
    float most = row[0], sum = 0.0f;
    for (int i = 0; i < n; ++i) most = fmaxf(most, row[i]);
    for (int i = 0; i < n; ++i) sum += row[i] = expf(row[i] - most);
    for (int i = 0; i < n; ++i) row[i] /= sum;
}

__global__ void average(const float* weights, const __half* qkv, __half* o, int n, int heads, int dim, int first) {
    int c = threadIdx.x, query = blockIdx.x, head = first + blockIdx.y, d = heads * dim;
    const __half* v = qkv + size_t(head / heads) * n * 3 * d + 2 * d + head % heads * dim;
    const float* row = weights + (size_t(head) * n + query) * n;
    float sum = 0.0f;
    for (int key = 0; key < n; ++key) sum += row[key] * __half2float(v[size_t(key) * 3 * d + c]);
    o[(size_t(head / heads) * n + query) * d + head % heads * dim + c] = __float2half(sum);
}

__global__ void add(const __half* a, const __half* b, __half* out, size_t count) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) out[i] = __float2half(__half2float(a[i]) + __half2float(b[i]));
}

__global__ void gelu(__half* u, size_t count) {
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float z = __half2float(u[i]);
    u[i] = __float2half(0.5f * z * (1.0f + tanhf(0.7978845608f * (z + 0.044715f * z * z * z))));
}

int blocks(size_t count) {
    return int((count - 1) / kThreads + 1);
}

extern "C" void solve(const __half* x, const __half* gamma1, const __half* beta1, const __half* wqkv, const __half* wo,
                      const __half* gamma2, const __half* beta2, const __half* w1, const __half* w2, __half* y,
                      int batch, int n, int heads, int dim, int hidden) {
    int rows = batch * n, d = heads * dim, all = batch * heads;
    size_t count = size_t(rows) * d;
    __half *z, *qkv, *part, *h, *u;
    float* scores;
    cudaMallocAsync(&z, count * 2, 0);
    cudaMallocAsync(&qkv, count * 6, 0);
    cudaMallocAsync(&part, count * 2, 0);
    cudaMallocAsync(&h, count * 2, 0);
    cudaMallocAsync(&u, size_t(rows) * hidden * 2, 0);
    cudaMallocAsync(&scores, size_t(all) * n * n * 4, 0);
    normalise<<<blocks(rows), kThreads>>>(x, gamma1, beta1, z, rows, d);
    for (int i = 0; i < 3; ++i) multiply<<<dim3(blocks(d), rows), kThreads>>>(z, wqkv + size_t(i) * d * d, qkv + i * d, d, d, 3 * d);
    find_scores<<<dim3(blocks(n), n, all), kThreads>>>(qkv, scores, n, heads, dim, 0);
    softmax<<<dim3(blocks(n), all), kThreads>>>(scores, n, 0);
    average<<<dim3(n, all), dim>>>(scores, qkv, z, n, heads, dim, 0);
    multiply<<<dim3(blocks(d), rows), kThreads>>>(z, wo, part, d, d, d);
    add<<<blocks(count), kThreads>>>(x, part, h, count);
    normalise<<<blocks(rows), kThreads>>>(h, gamma2, beta2, z, rows, d);
    multiply<<<dim3(blocks(hidden), rows), kThreads>>>(z, w1, u, hidden, d, hidden);
    gelu<<<blocks(size_t(rows) * hidden), kThreads>>>(u, size_t(rows) * hidden);
    multiply<<<dim3(blocks(d), rows), kThreads>>>(u, w2, part, d, hidden, d);
    add<<<blocks(count), kThreads>>>(h, part, y, count);
    for (void* memory : {(void*)z, (void*)qkv, (void*)part, (void*)h, (void*)u, (void*)scores}) cudaFreeAsync(memory, 0);
}
