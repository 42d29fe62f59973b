// Transpose through a padded tile, softmax and layer normalisation by rows.
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

__device__ float block_sum(float value, float* scratch) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) sum += scratch[w];
  __syncthreads();
  return sum;
}

__global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float scratch[32];
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float top = -INFINITY;
  for (int i = 0; i < columns; ++i) top = fmaxf(top, in[i]);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(in[i] - top);
  sum = block_sum(sum, scratch);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[i] = expf(in[i] - top) / sum;
}

__global__ void layer_norm(const float* in, float* out, int columns) {
  __shared__ float scratch[32];
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[i];
  float mean = block_sum(sum, scratch) / columns;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) squares += (in[i] - mean) * (in[i] - mean);
  float scale = rsqrtf(block_sum(squares, scratch) / columns + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[i] = (in[i] - mean) * scale;
}

extern "C" void solve(const float* in, float* transposed, float* soft, float* norm, int rows, int columns) {
  transpose<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(in, transposed, rows, columns);
  softmax<<<rows, 64>>>(in, soft, columns);
  layer_norm<<<rows, 96>>>(in, norm, columns);
}
