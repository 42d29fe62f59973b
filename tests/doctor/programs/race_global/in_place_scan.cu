// problem: prefix-sum
__global__ void copy(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        output[i] = input[i];
    }
}

__global__ void step(float* data, int n, int distance) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= distance && i < n) {
        float before = data[i - distance];  // doctor: race
        data[i] += before;  // doctor: race
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    int blocks = (n + 127) / 128;
    copy<<<blocks, 128>>>(input, output, n);
    for (int distance = 1; distance < n; distance *= 2) {
        step<<<blocks, 128>>>(output, n, distance);
    }
}
