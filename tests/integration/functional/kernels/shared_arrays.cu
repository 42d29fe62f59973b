// Accesses to shared arrays: within one, past its end into the next one, before its start, and by a pointer to either.
__global__ void past_the_end(const float* in, float* out, int index) {
  __shared__ float a[32], b[32];
  a[threadIdx.x] = in[threadIdx.x];
  b[threadIdx.x] = 2 * in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) a[index] = -1;
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

__global__ void either(const float* in, float* out, int index) {
  __shared__ float a[32], b[32];
  float* chosen = in[0] > 0 ? a : b;
  float* other = in[0] > 0 ? b : a;
  for (int round = 0; round < 3; ++round) {
    chosen[threadIdx.x] = in[threadIdx.x] + round;
    other[31 - threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = chosen[31 - threadIdx.x] + other[(threadIdx.x + index) % 32];
    __syncthreads();
    float* swapped = chosen;
    chosen = other;
    other = swapped;
  }
}

extern "C" void solve(const float* in, float* out, int index, int way) {
  if (way == 0) past_the_end<<<1, 32>>>(in, out, index);
  else either<<<1, 32>>>(in, out, index);
}
