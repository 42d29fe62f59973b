// Wrong: the barrier at the end of the reduction is missing. A fast warp stores its next value into shared memory before
// others have read the result of this reduction.
#include <cuda_runtime.h>

constexpr int kThreads = 128;

struct Row {
    const float* values;
    float most;
};

// The greatest value or the sum of one value per thread, returned to every thread.
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
    return shared[0];
}

__device__ Row read_row(const float* values, int c) {
    float most = -INFINITY;
    for (int i = threadIdx.x; i < c; i += kThreads) {
        most = fmaxf(most, values[i]);
    }
    return {values, reduce_block(most, true)};
}

__global__ void distil(const float* student, const float* teacher, const int* label, float* loss, float* gradient,
                       int c, float temperature, float alpha) {
    size_t first = size_t(blockIdx.x) * c;
    Row s = read_row(student + first, c), t = read_row(teacher + first, c);
    float inverse = 1.0f / temperature, hard = 0.0f, soft = 0.0f, given = 0.0f, gap = 0.0f;
    for (int i = threadIdx.x; i < c; i += kThreads) {
        float own = s.values[i] - s.most, other = t.values[i] - t.most, weight = expf(other * inverse);
        hard += expf(own);
        soft += expf(own * inverse);
        given += weight;
        gap += weight * (other - own);
    }
    hard = reduce_block(hard, false);
    soft = reduce_block(soft, false);
    given = reduce_block(given, false);
    gap = reduce_block(gap, false);
    int right = label[blockIdx.x];
    if (threadIdx.x == 0) {
        float divergence = gap / given * inverse - logf(given) + logf(soft);
        float entropy = logf(hard) - (s.values[right] - s.most);
        atomicAdd(loss, alpha * temperature * temperature * divergence + (1.0f - alpha) * entropy);
    }
    float softened = alpha * temperature, plain = 1.0f - alpha;
    for (int i = threadIdx.x; i < c; i += kThreads) {
        float own = s.values[i] - s.most, other = t.values[i] - t.most;
        float difference = expf(own * inverse) / soft - expf(other * inverse) / given;
        float error = expf(own) / hard - (i == right ? 1.0f : 0.0f);
        gradient[first + i] = softened * difference + plain * error;
    }
}

extern "C" void solve(const float* student, const float* teacher, const int* label, float* loss, float* gradient, int n,
                      int c, float temperature, float alpha) {
    distil<<<n, kThreads>>>(student, teacher, label, loss, gradient, c, temperature, alpha);
}
