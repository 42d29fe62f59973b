// problem: vector-add
__global__ void add(const float* a, const float* b, float* c) {
    int i = blockIdx.x;
    c[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<n, 1>>>(a, b, c);  // doctor: low_occupancy
}
