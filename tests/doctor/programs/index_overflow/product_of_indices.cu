// problem: vector-add
// The scrambled index passes 2^31 and becomes negative.
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int scrambled = i * 1000003;
        float x = a[scrambled % n];  // doctor: out_of_bounds
        c[scrambled % n] = x + b[scrambled % n];  // doctor: out_of_bounds
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
