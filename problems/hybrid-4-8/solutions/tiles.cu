// A block makes a tile of 16 tokens by 16 features. It unpacks the weights of both kinds to bytes in shared
// memory, so that the products do not see the kind.
//
// What bounds it: instructions. Each weight is unpacked once for 16 tokens, and each loaded word of activations
// serves 16 features. A padded row keeps the words that a warp reads in different banks. For more tokens, integer
// tensor cores would take such tiles as they are.
#include <cuda_runtime.h>

constexpr int kSide = 16;
constexpr int kPieces = 16;             // of eight weights, in a tile
constexpr int kRow = 2 * kPieces + 1;  // words, with padding

__global__ void multiply(const uint2* x, const unsigned* w4, const uint2* w8, const unsigned char* which, const int* place, int* y,
                         int m, int n, int words) {
    __shared__ unsigned tokens[kSide][kRow], weights[kSide][kRow];
    int column = threadIdx.x, row = threadIdx.y;
    int token = blockIdx.y * kSide + row, feature = blockIdx.x * kSide + row;
    bool wide = feature < n && which[feature];
    size_t start = feature < n ? size_t(place[feature]) * words : 0;
    int sum = 0;
    for (int first = 0; first < words; first += kPieces) {
        int at = first + column;
        uint2 own = make_uint2(0, 0), bytes = make_uint2(0, 0);
        if (at < words && token < m) own = x[size_t(token) * words + at];
        if (at < words && feature < n) {
            if (wide) {
                bytes = w8[start + at];
            } else {
                unsigned codes = w4[start + at];
                unsigned lower = __vsub4(codes & 0x0f0f0f0fu, 0x08080808u), upper = __vsub4(codes >> 4 & 0x0f0f0f0fu, 0x08080808u);
                bytes = make_uint2(__byte_perm(lower, upper, 0x5140), __byte_perm(lower, upper, 0x7362));
            }
        }
        tokens[row][2 * column] = own.x;
        tokens[row][2 * column + 1] = own.y;
        weights[row][2 * column] = bytes.x;
        weights[row][2 * column + 1] = bytes.y;
        __syncthreads();
        for (int i = 0; i < 2 * kPieces; ++i) sum = __dp4a(int(weights[column][i]), int(tokens[row][i]), sum);
        __syncthreads();
    }
    int result = blockIdx.x * kSide + column;
    if (token < m && result < n) y[size_t(token) * n + result] = sum;
}

extern "C" void solve(const signed char* x, const unsigned char* w4, const signed char* w8, const unsigned char* which,
                      const int* place, int* y, int m, int n, int n4, int k) {
    dim3 grid((n - 1) / kSide + 1, (m - 1) / kSide + 1), threads(kSide, kSide);
    multiply<<<grid, threads>>>(reinterpret_cast<const uint2*>(x), reinterpret_cast<const unsigned*>(w4),
                                reinterpret_cast<const uint2*>(w8), which, place, y, m, n, k / 8);
}
