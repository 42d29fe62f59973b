// problem: prefix-sum
__global__ void scan(const float* input, float* output, int n) {
    __shared__ float sums[512];
    __shared__ float carry;
    if (threadIdx.x == 0) {
        carry = 0;
    }
    for (int first = 0; first < n; first += 512) {
        int i = first + threadIdx.x;
        sums[threadIdx.x] = i < n ? input[i] : 0;
        __syncthreads();
        for (int distance = 1; distance < 512; distance *= 2) {
            float before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;  // doctor: race
            sums[threadIdx.x] += before;  // doctor: race
            __syncthreads();
        }
        if (i < n) {
            output[i] = carry + sums[threadIdx.x];
        }
        __syncthreads();
        if (threadIdx.x == 511) {
            carry += sums[511];
        }
        __syncthreads();
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    scan<<<1, 512>>>(input, output, n);
}
