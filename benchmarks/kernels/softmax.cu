__device__ float reduced(float value, bool largest, float* scratch) {
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(~0u, value, offset);
    value = largest ? fmaxf(value, other) : value + other;
  }
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  value = scratch[0];
  for (int w = 1; w < blockDim.x / 32; ++w) value = largest ? fmaxf(value, scratch[w]) : value + scratch[w];
  __syncthreads();
  return value;
}

__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float scratch[32];
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) top = fmaxf(top, in[i]);
  top = reduced(top, true, scratch);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(in[i] - top);
  sum = reduced(sum, false, scratch);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[i] = expf(in[i] - top) / sum;
}

extern "C" void solve(const float* in, float* out, int rows, int columns) { softmax<<<rows, 256>>>(in, out, columns); }
