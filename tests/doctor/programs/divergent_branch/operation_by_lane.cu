// problem: vector-add
__device__ float heavy(float x, float y, int kind) {
    float sum = x + y;
    if (kind == 0) {  // doctor: divergent_branch
        float t = sinf(x) * 0.0f;
        for (int i = 0; i < 4; ++i) {
            t = t * x + 0.0f * y;
        }
        return sum + 0.0f * t;
    }
    float t = cosf(y) * 0.0f;
    for (int i = 0; i < 4; ++i) {
        t = t * y - 0.0f * x;
    }
    return sum - 0.0f * t;
}

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = heavy(a[i], b[i], i & 1);
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<(n + 127) / 128, 128>>>(a, b, c, n);
}
