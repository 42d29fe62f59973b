// problem: vector-add
__global__ void add(const float* a, const float* b, float* c, int n, int chunk) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    for (int i = first; i < min(first + chunk, n); ++i) {
        c[i] = a[i] + b[i];  // doctor: uncoalesced
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    int chunk = 16;
    int threads = (n + chunk - 1) / chunk;
    add<<<(threads + 127) / 128, 128>>>(a, b, c, n, chunk);
}
