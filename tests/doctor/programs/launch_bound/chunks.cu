// problem: vector-add
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    for (int first = 0; first < n; first += 64) {
        add<<<1, 64>>>(a + first, b + first, c + first, n - first);  // doctor: launch_bound
    }
}
