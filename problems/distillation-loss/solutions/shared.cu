// A block for each row, which reads it once into shared memory. All four sums are reduced together.
//
// What bounds it: memory, twelve bytes for each element, which is the least possible. Rows of more than 5888 classes do not fit
// in 48 KB. They are read from global memory each time, so long rows depend on L2.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kKept = 5888;  // classes: 47,104 bytes, and a little space for the sums of the warps

__device__ float2 greatest(float2 value) {
    __shared__ float2 warps[kWarps];
    for (int offset = 16; offset > 0; offset /= 2) {
        value.x = fmaxf(value.x, __shfl_xor_sync(0xffffffffu, value.x, offset));
        value.y = fmaxf(value.y, __shfl_xor_sync(0xffffffffu, value.y, offset));
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    for (int warp = 0; warp < kWarps; ++warp) {
        value.x = fmaxf(value.x, warps[warp].x);
        value.y = fmaxf(value.y, warps[warp].y);
    }
    return value;
}

__device__ float4 add(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__device__ float4 total(float4 value) {
    __shared__ float4 warps[kWarps];
    for (int offset = 16; offset > 0; offset /= 2) {
        value = add(value, make_float4(__shfl_xor_sync(0xffffffffu, value.x, offset), __shfl_xor_sync(0xffffffffu, value.y, offset),
                                       __shfl_xor_sync(0xffffffffu, value.z, offset), __shfl_xor_sync(0xffffffffu, value.w, offset)));
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = warps[0];
    for (int warp = 1; warp < kWarps; ++warp) {
        value = add(value, warps[warp]);
    }
    return value;
}

__global__ void distil(const float* student, const float* teacher, const int* label, float* loss, float* gradient,
                       int c, float temperature, float alpha) {
    extern __shared__ float kept[];
    const float* s = student + size_t(blockIdx.x) * c;
    const float* t = teacher + size_t(blockIdx.x) * c;
    float2 most = make_float2(-INFINITY, -INFINITY);
    for (int i = threadIdx.x; i < c; i += kThreads) {
        float own = s[i], other = t[i];
        most = make_float2(fmaxf(most.x, own), fmaxf(most.y, other));
        if (c <= kKept) {
            kept[i] = own;
            kept[c + i] = other;
        }
    }
    most = greatest(most);
    if (c <= kKept) {  // each thread reads only what it wrote, but for the logit of the label
        s = kept;
        t = kept + c;
    }
    float inverse = 1.0f / temperature;
    float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = threadIdx.x; i < c; i += kThreads) {
        float own = s[i] - most.x, other = t[i] - most.y, weight = expf(other * inverse);
        sums = add(sums, make_float4(expf(own), expf(own * inverse), weight, weight * (other - own)));
    }
    sums = total(sums);
    int right = label[blockIdx.x];
    if (threadIdx.x == 0) {
        float divergence = sums.w / sums.z * inverse - logf(sums.z) + logf(sums.y);
        float entropy = logf(sums.x) - (s[right] - most.x);
        atomicAdd(loss, alpha * temperature * temperature * divergence + (1.0f - alpha) * entropy);
    }
    float soft = alpha * temperature / sums.y, given = alpha * temperature / sums.z, hard = (1.0f - alpha) / sums.x;
    for (int i = threadIdx.x; i < c; i += kThreads) {
        float own = s[i] - most.x, other = t[i] - most.y;
        float sum = soft * expf(own * inverse) - given * expf(other * inverse) + hard * expf(own);
        gradient[size_t(blockIdx.x) * c + i] = sum - (i == right ? 1.0f - alpha : 0.0f);
    }
}

extern "C" void solve(const float* student, const float* teacher, const int* label, float* loss, float* gradient, int n,
                      int c, float temperature, float alpha) {
    size_t bytes = c <= kKept ? size_t(2) * c * sizeof(float) : 0;
    distil<<<n, kThreads, bytes>>>(student, teacher, label, loss, gradient, c, temperature, alpha);
}
