// problem: vector-add
__device__ int next;

__global__ void add(const float* a, const float* b, float* c, int n) {
    for (;;) {
        int i = atomicAdd(&next, 1);  // doctor: contended_atomic
        if (i >= n) {
            return;
        }
        c[i] = a[i] + b[i];
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    int zero = 0;
    cudaMemcpyToSymbol(next, &zero, sizeof(int));
    add<<<8, 128>>>(a, b, c, n);
}
