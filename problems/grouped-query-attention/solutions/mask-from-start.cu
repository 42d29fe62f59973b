// Wrong: query i sees the keys up to i, as if the queries stood at the beginning. They are the last m of n positions. If there are
// as many queries as keys, both are the same.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 128;

__device__ float reduce_block(float value, bool greatest) {
    __shared__ float shared[kThreads];
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int stride = kThreads / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            float other = shared[threadIdx.x + stride];
            shared[threadIdx.x] = greatest ? fmaxf(shared[threadIdx.x], other) : shared[threadIdx.x] + other;
        }
        __syncthreads();
    }
    float result = shared[0];
    __syncthreads();  // no thread may refill `shared` before all have read the result
    return result;
}

__global__ void attend(const __half* q, const __half* k, const __half* v, __half* o, int m, int n, int hq, int hk, int d,
                       float scale) {
    extern __shared__ float weights[];
    int head = blockIdx.x, query = blockIdx.y, batch = blockIdx.z, shared_head = head / (hq / hk);
    const __half* own = q + ((size_t(batch) * m + query) * hq + head) * d;
    const __half* keys = k + (size_t(batch) * n * hk + shared_head) * d;
    const __half* values = v + (size_t(batch) * n * hk + shared_head) * d;
    int seen = query + 1;
    float most = -INFINITY;
    for (int key = threadIdx.x; key < seen; key += kThreads) {
        float score = 0.0f;
        for (int c = 0; c < d; ++c) {
            score += __half2float(own[c]) * __half2float(keys[size_t(key) * hk * d + c]);
        }
        weights[key] = score * scale;
        most = fmaxf(most, score * scale);
    }
    most = reduce_block(most, true);
    float sum = 0.0f;
    for (int key = threadIdx.x; key < seen; key += kThreads) {
        weights[key] = expf(weights[key] - most);
        sum += weights[key];
    }
    sum = reduce_block(sum, false);
    for (int c = threadIdx.x; c < d; c += kThreads) {
        float result = 0.0f;
        for (int key = 0; key < seen; ++key) {
            result += weights[key] * __half2float(values[size_t(key) * hk * d + c]);
        }
        o[((size_t(batch) * m + query) * hq + head) * d + c] = __float2half_rn(result / sum);
    }
}

extern "C" void solve(const __half* q, const __half* k, const __half* v, __half* o, int b, int m, int n, int hq, int hk,
                      int d) {
    attend<<<dim3(hq, m, b), kThreads, n * sizeof(float)>>>(q, k, v, o, m, n, hq, hk, d, 1.0f / sqrtf(d));
}
