// problem: prefix-sum
__global__ void scan(const float* input, float* output, int n) {
    float carry = 0;
    for (int first = 0; first < n; first += 32) {
        int i = first + threadIdx.x;
        float value = i < n ? input[i] : 0;
        for (int distance = 1; distance < 32; distance *= 2) {
            unsigned mask = 0xffffffffu << distance;
            float before = __shfl_up_sync(mask, value, distance);  // doctor: bad_mask
            if (threadIdx.x >= distance) {
                value += before;
            }
        }
        if (i < n) {
            output[i] = carry + value;
        }
        carry += __shfl_sync(0xffffffffu, value, 31);
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    scan<<<1, 32>>>(input, output, n);
}
