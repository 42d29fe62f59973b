// Branches, atomic operations, loads and arithmetic whose counts are known.
constexpr int kThreads = 256;

__device__ float one_side(float value) {
  for (int k = 0; k < 16; ++k) value = value * value + 0.5f;
  return value;
}

__device__ float other_side(float value) {
  for (int k = 0; k < 16; ++k) value = value / 3.0f + 0.25f;
  return value;
}

__global__ void alternating(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  if (i % 2 == 0) {  // alternating
    value = one_side(value);
  } else {
    value = other_side(value);
  }
  out[i] = value;
}

__global__ void by_warp(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  if (i / 32 % 2 == 0) {
    value = one_side(value);
  } else {
    value = other_side(value);
  }
  out[i] = value;
}

__global__ void by_data(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  if (value > 0.9f) {  // data
    value = one_side(value);
  } else {
    value = other_side(value);
  }
  out[i] = value;
}

// A tree in which every other thread works, then every fourth, …
__global__ void modulo_tree(const float* x, float* out) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = x[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) {  // modulo
      sums[threadIdx.x] += sums[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void halving_tree(const float* x, float* out) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = x[blockIdx.x * kThreads + threadIdx.x];
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      sums[threadIdx.x] += sums[threadIdx.x + step];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

// Bounds of a small matrix: in each row of the block some threads have nothing to do.
__global__ void guarded(const float* x, float* out, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col > 0 && col < cols - 1) {
    int i = row * cols + col;
    out[i] = x[i - 1] * 0.25f + x[i] * 0.5f + x[i + 1] * 0.25f;
  }
}

__global__ void sum_of_all(const float* x, float* out) {
  atomicAdd(out, x[blockIdx.x * blockDim.x + threadIdx.x]);  // one address
}

__global__ void shared_sum(const float* x, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[blockIdx.x * blockDim.x + threadIdx.x]);  // shared address
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void spread(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out + i % 64, x[i]);
}

// Few of the addresses are frequent.
__global__ void skewed(const float* x, float* out) {
  float value = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(out + (value < 0.8f ? 0 : static_cast<int>(value * 1000)), value);  // skewed
}

__global__ void gathered(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) {
    sum += x[(i + k * k * 5) % 512];  // gathered
  }
  out[i] = sum;
}

// c is the product of two matrices with `side` rows and columns.
__global__ void naive_product(const float* x, float* out, int side) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < side; ++i) {
    sum += x[row * side + i] * x[i * side + col];  // again and again
  }
  out[row * side + col] = sum;
}

__global__ void tiled_product(const float* x, float* out, int side) {
  __shared__ float a[16][16], b[16][16];
  int col = blockIdx.x * 16 + threadIdx.x;
  int row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int first = 0; first < side; first += 16) {
    a[threadIdx.y][threadIdx.x] = x[row * side + first + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = x[(first + threadIdx.y) * side + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  out[row * side + col] = sum;
}

// All warps read the same few coefficients.
__global__ void coefficients(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int k = 0; k < 32; ++k) value = value * 0.5f + x[k];
  out[i] = value;
}

__global__ void accidental(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i] * 0.1 + sqrt(x[i]);  // double
}

__global__ void single(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = x[i] * 0.1f + sinf(x[i]);
}

// `kind` chooses the kernel.
extern "C" void solve(const float* x, float* out, int n, int kind) {
  int blocks = n / kThreads;
  if (kind == 0) alternating<<<blocks, kThreads>>>(x, out);
  if (kind == 1) by_warp<<<blocks, kThreads>>>(x, out);
  if (kind == 2) by_data<<<blocks, kThreads>>>(x, out);
  if (kind == 3) modulo_tree<<<blocks, kThreads>>>(x, out);
  if (kind == 4) halving_tree<<<blocks, kThreads>>>(x, out);
  if (kind == 5) guarded<<<dim3(5, 4), dim3(16, 16)>>>(x, out, 63, 65);
  if (kind == 6) sum_of_all<<<blocks, kThreads>>>(x, out);
  if (kind == 7) shared_sum<<<blocks, kThreads>>>(x, out);
  if (kind == 8) spread<<<blocks, kThreads>>>(x, out);
  if (kind == 9) skewed<<<blocks, kThreads>>>(x, out);
  if (kind == 10) naive_product<<<dim3(1, 4), dim3(32, 8)>>>(x, out, 32);
  if (kind == 11) tiled_product<<<dim3(2, 2), dim3(16, 16)>>>(x, out, 32);
  if (kind == 12) coefficients<<<blocks, kThreads>>>(x, out, n);
  if (kind == 13) gathered<<<blocks, kThreads>>>(x, out, n);
  if (kind == 14) accidental<<<blocks, kThreads>>>(x, out);
  if (kind == 15) single<<<blocks, kThreads>>>(x, out);
}
