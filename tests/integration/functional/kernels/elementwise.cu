// Element by element, one thread each; then a grid-stride loop with a device lambda over the same data.
template <typename Function>
__global__ void apply(float* data, int n, Function function) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = function(data[i]);
}

__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void solve(const float* a, const float* b, float* c, int n, float scale) {
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  apply<<<7, 64>>>(c, n, [scale] __device__(float x) { return x * scale; });
}
