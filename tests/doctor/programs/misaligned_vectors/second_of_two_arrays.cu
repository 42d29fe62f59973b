// problem: vector-add
// Both copies are in one allocation, 16 bytes apart from a multiple of 32: vectors of 16 bytes work, but start within a sector.
__global__ void copy(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i];  // doctor: misaligned_vectors
    }
}

__global__ void add(const float4* a, const float4* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 left = a[i], right = b[i];  // doctor: misaligned_vectors
        reinterpret_cast<float4*>(c)[i] = make_float4(left.x + right.x, left.y + right.y, left.z + right.z, left.w + right.w);
    } else {
        for (int j = 4 * i; j < n; ++j) {
            c[j] = reinterpret_cast<const float*>(a)[j] + reinterpret_cast<const float*>(b)[j];
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    size_t place = (size_t(n) + 7) / 8 * 8 + 4;
    float* both;
    cudaMalloc(&both, (place + n) * sizeof(float));
    copy<<<(n + 255) / 256, 256>>>(a, both, n);
    copy<<<(n + 255) / 256, 256>>>(b, both + place, n);
    add<<<(n / 4 + 1 + 255) / 256, 256>>>(reinterpret_cast<float4*>(both), reinterpret_cast<float4*>(both + place), c, n);
    cudaFree(both);
}
