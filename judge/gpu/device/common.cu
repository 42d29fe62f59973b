// What the referee's kernels share: names of types, and secret random words. `kernels.source` puts this before them.

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

// ---- random bytes: Philox 4x32-10 -------------------------------------------------------------------
// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. 128 secret bits: 64 are
// the key, 64 the upper half of the counter. The lower half numbers the blocks of 16 bytes.
struct Secret {
  u32 key0, key1, nonce0, nonce1;
};

__device__ uint4 philox(u64 block, Secret secret) {
  u32 a = static_cast<u32>(block), b = static_cast<u32>(block >> 32), c = secret.nonce0, d = secret.nonce1;
  u32 key0 = secret.key0, key1 = secret.key1;
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const u32 high0 = __umulhi(0xD2511F53u, a), low0 = 0xD2511F53u * a;
    const u32 high1 = __umulhi(0xCD9E8D57u, c), low1 = 0xCD9E8D57u * c;
    a = high1 ^ b ^ key0;
    b = low1;
    c = high0 ^ d ^ key1;
    d = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return make_uint4(a, b, c, d);
}
