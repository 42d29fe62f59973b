// A grid of fixed size strides over the counters. Each counter gives one 16-byte store per output. The products are written
// as 64-bit products of 32-bit factors, so that the compiler may take both halves from one instruction.
//
// What bounds it: memory bandwidth, with integer arithmetic close behind.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__device__ uint4 philox(unsigned long long seed, unsigned long long counter) {
    unsigned k0 = unsigned(seed), k1 = unsigned(seed >> 32);
    uint4 c = make_uint4(unsigned(counter), unsigned(counter >> 32), 0, 0);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        unsigned long long p0 = 0xD2511F53ull * c.x, p1 = 0xCD9E8D57ull * c.z;
        c = make_uint4(unsigned(p1 >> 32) ^ c.y ^ k0, unsigned(p1), unsigned(p0 >> 32) ^ c.w ^ k1, unsigned(p0));
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

__device__ float2 normal_pair(unsigned u, unsigned v) {
    float radius = sqrtf(-2.0f * logf((u + 0.5f) * 0x1p-32f));
    float sine, cosine;
    sincospif(v * 0x1p-31f, &sine, &cosine);
    return make_float2(radius * cosine, radius * sine);
}

__global__ void generate(const long long* state, unsigned* bits, float* normal, int n) {
    unsigned long long seed = state[0], offset = state[1];
    int whole = n / 4;
    for (int block = blockIdx.x * kThreads + threadIdx.x; 4 * block < n; block += gridDim.x * kThreads) {
        uint4 word = philox(seed, offset + block);
        float2 first = normal_pair(word.x, word.y), second = normal_pair(word.z, word.w);
        float4 numbers = make_float4(first.x, first.y, second.x, second.y);
        if (block < whole) {
            reinterpret_cast<uint4*>(bits)[block] = word;
            reinterpret_cast<float4*>(normal)[block] = numbers;
            continue;
        }
        unsigned words[3] = {word.x, word.y, word.z};  // the last counter: at most three elements
        float rest[3] = {numbers.x, numbers.y, numbers.z};
        for (int k = 0; 4 * block + k < n; ++k) {
            bits[4 * block + k] = words[k];
            normal[4 * block + k] = rest[k];
        }
    }
}

extern "C" void solve(const long long* state, unsigned* bits, float* normal, int n) {
    int needed = (n / 4 + kThreads) / kThreads;
    generate<<<needed < 2048 ? needed : 2048, kThreads>>>(state, bits, normal, n);
}
