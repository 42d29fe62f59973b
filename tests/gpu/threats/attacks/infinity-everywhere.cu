// Infinity, whose distance from anything is not a number that is too large.
__global__ void fill(float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __int_as_float(0x7f800000);
}
SOLVE { fill<<<(n + 255) / 256, 256>>>(c, n); }
