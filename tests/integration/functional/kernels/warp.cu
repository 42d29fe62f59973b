// Votes, matches, shuffles with widths, warp reductions, dp4a and inline assembly.
__global__ void lanes(const int* in, int* out) {
  int i = threadIdx.x, v = in[i], r = 0, *o = out + i * 12;
  unsigned all = ~0u;
  o[r++] = __ballot_sync(all, v > 50);
  o[r++] = __any_sync(all, v == in[0]);
  o[r++] = __all_sync(all, v >= 0);
  o[r++] = __match_any_sync(all, v % 4);
  int uniform;
  o[r++] = __match_all_sync(all, v / 1000, &uniform);
  o[r++] = __shfl_up_sync(all, v, 3, 16);
  o[r++] = __shfl_sync(all, v, i + 1, 8);
  o[r++] = __reduce_add_sync(all, v);
  o[r++] = __reduce_max_sync(all, v);
  o[r++] = i % 2 ? __popc(__activemask()) : 0;
  o[r++] = __dp4a(0x01020304, 0x05060708, v);
  unsigned reversed;
  asm("{ .reg .b32 t; brev.b32 t, %1; mov.b32 %0, t; }" : "=r"(reversed) : "r"(v));
  o[r++] = reversed;
}

extern "C" void solve(const int* in, int* out) { lanes<<<1, 32>>>(in, out); }
