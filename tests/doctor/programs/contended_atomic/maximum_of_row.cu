// problem: softmax
__device__ int key_of(float x) {
    int bits = __float_as_int(x);
    return bits < 0 ? bits ^ 0x7fffffff : bits;
}

__global__ void softmax(const float* input, float* output, int cols) {
    __shared__ int largest;
    __shared__ float total;
    const float* in = input + size_t(blockIdx.x) * cols;
    if (threadIdx.x == 0) {
        largest = key_of(-INFINITY);
        total = 0;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += 128) {
        atomicMax(&largest, key_of(in[i]));  // doctor: contended_atomic
    }
    __syncthreads();
    float maximum = __int_as_float(largest < 0 ? largest ^ 0x7fffffff : largest);
    float own = 0;
    for (int i = threadIdx.x; i < cols; i += 128) {
        own += expf(in[i] - maximum);
    }
    atomicAdd(&total, own);  // doctor: contended_atomic
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += 128) {
        output[size_t(blockIdx.x) * cols + i] = expf(in[i] - maximum) / total;
    }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
    softmax<<<rows, 128>>>(input, output, cols);
}
