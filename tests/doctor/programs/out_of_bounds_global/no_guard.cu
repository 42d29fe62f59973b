// problem: vector-add
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];  // doctor: out_of_bounds
    float y = b[i];
    c[i] = x + y;
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<(n + 127) / 128, 128>>>(a, b, c, n);
}
