// The right answer, and one element more.
__global__ void one_more(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) c[i] = a[i] + b[i];
}
SOLVE { one_more<<<n / 256 + 1, 256>>>(a, b, c, n); }
