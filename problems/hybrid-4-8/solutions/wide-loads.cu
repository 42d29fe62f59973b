// Wrong: k is a multiple of 8 only, so rows of four-bit weights begin at multiples of 4 bytes. A load of 16 bytes
// faults unless its address is a multiple of 16. And the division drops the remainder of a row. Lengths that are
// powers of two show neither.
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kTokens = 8;

__global__ void list(const unsigned char* which, const int* place, int* features, int n, int n4) {
    int feature = blockIdx.x * blockDim.x + threadIdx.x;
    if (feature < n) features[(which[feature] ? n4 : 0) + place[feature]] = feature;
}

// The sum of eight products. Words of codes have four bits for each weight, or are two words of eight bits.
__device__ int multiply(const unsigned* codes, uint2 own, int sum, int bits) {
    if (bits == 8) return __dp4a(int(codes[1]), int(own.y), __dp4a(int(codes[0]), int(own.x), sum));
    int lower = __vsub4(codes[0] & 0x0f0f0f0fu, 0x08080808u), upper = __vsub4(codes[0] >> 4 & 0x0f0f0f0fu, 0x08080808u);
    sum = __dp4a(lower, int(__byte_perm(own.x, own.y, 0x6420)), sum);
    return __dp4a(upper, int(__byte_perm(own.x, own.y, 0x7531)), sum);
}

template <int kBits, typename Vector>
__global__ void product(const uint2* x, const Vector* weights, const int* features, int* y, int m, int n, int rows, int words) {
    constexpr int kLoaded = sizeof(Vector) / kBits;  // pieces of eight weights
    int row = blockIdx.x * kWarps + threadIdx.y, token = blockIdx.y * kTokens, lane = threadIdx.x;
    if (row >= rows) return;
    int sums[kTokens] = {}, steps = words / kLoaded;
    for (int i = lane; i < steps; i += 32) {
        Vector loaded = weights[size_t(row) * steps + i];
        unsigned codes[sizeof(Vector) / 4];
        memcpy(codes, &loaded, sizeof(Vector));
#pragma unroll
        for (int t = 0; t < kTokens; ++t) {
            if (token + t >= m) break;
            const uint2* own = x + size_t(token + t) * words + i * kLoaded;
#pragma unroll
            for (int j = 0; j < kLoaded; ++j) sums[t] = multiply(codes + j * kBits / 4, own[j], sums[t], kBits);
        }
    }
#pragma unroll
    for (int t = 0; t < kTokens; ++t) {
        int sum = sums[t];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        if (lane == 0 && token + t < m) y[size_t(token + t) * n + features[row]] = sum;
    }
}

template <int kBits, typename Vector>
void launch(const signed char* x, const void* weights, const int* features, int* y, int m, int n, int rows, int k) {
    dim3 grid((rows - 1) / kWarps + 1, (m - 1) / kTokens + 1), threads(32, kWarps);
    product<kBits><<<grid, threads>>>(reinterpret_cast<const uint2*>(x), static_cast<const Vector*>(weights), features, y, m, n, rows, k / 8);
}

extern "C" void solve(const signed char* x, const unsigned char* w4, const signed char* w8, const unsigned char* which,
                      const int* place, int* y, int m, int n, int n4, int k) {
    int* features;
    cudaMallocAsync(&features, n * sizeof(int), 0);
    list<<<(n - 1) / 256 + 1, 256>>>(which, place, features, n, n4);
    if (k % 32 == 0 || k > 256) {
        launch<4, uint4>(x, w4, features, y, m, n, n4, k);
        launch<8, uint4>(x, w8, features + n4, y, m, n, n - n4, k);
    } else {
        launch<4, unsigned>(x, w4, features, y, m, n, n4, k);
        launch<8, uint2>(x, w8, features + n4, y, m, n, n - n4, k);
    }
    cudaFreeAsync(features, 0);
}
