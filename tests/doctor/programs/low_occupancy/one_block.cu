// problem: vector-add
__global__ void add(const float* a, const float* b, float* c, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<1, 1024>>>(a, b, c, n);  // doctor: low_occupancy
}
