// Ways to device memory other than loads and stores: textures, surfaces, asynchronous copies, atomics, the runtime, the host.
#include <cuda_runtime.h>
#include <cuda_pipeline.h>

constexpr int kWidth = 64, kHeight = 64, kThreads = 256, kElements = kWidth * kHeight;

__global__ void fetch_points(cudaTextureObject_t flat, float* y) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  y[i] = tex1Dfetch<float>(flat, i);
}
__global__ void fetch_columns(cudaTextureObject_t flat, float* y) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  y[i] = tex1Dfetch<float>(flat, i % kHeight * kWidth + i / kHeight);
}
// One warp and one row of blocks: each lane at its own column, `x` and `y` off the middle of the texel.
__global__ void fetch_at(cudaTextureObject_t image, float* out, float x, float y) {
  out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f + x, 0.5f + y);
}
__global__ void copy_surface(cudaSurfaceObject_t surface, float* y) {
  y[threadIdx.x] = surf2Dread<float>(surface, threadIdx.x * 4, 0);
  surf2Dwrite(1.0f, surface, threadIdx.x * 4, 1);
}
__global__ void copy_async(const float* x, float* y) {
  __shared__ alignas(16) float tile[kThreads];
  int i = blockIdx.x * kThreads + threadIdx.x;
  float own = x[i]; __pipeline_memcpy_async(tile + threadIdx.x, x + i, 4); __pipeline_commit();
  __pipeline_wait_prior(0);
  y[i] = tile[threadIdx.x] + own;
}
// A copy of no bytes after an ordinary load.
__global__ void copy_nothing(const float* x, float* y) {
  __shared__ alignas(16) float tile[kThreads];
  int i = blockIdx.x * kThreads + threadIdx.x;
  float own = x[i]; __pipeline_memcpy_async(tile + threadIdx.x, x, 4, 4); __pipeline_commit();
  __pipeline_wait_prior(0);
  y[i] = tile[threadIdx.x] + own;
}
__global__ void read_by_atomics(float* x, float* y) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  y[i] = atomicAdd(x + i * 8 % kElements, 0.0f);
}
__global__ void move(const float* x, float* y) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  y[i] = x[i];
}
// A block takes tiles until there are none.
__device__ int queue;
__global__ void from_queue(const float* x, float* y) {
  __shared__ int tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&queue, 1);
    __syncthreads();
    int i = tile * kThreads + threadIdx.x;
    __syncthreads();
    if (i >= kElements) return;
    y[i] = x[i];
  }
}

static cudaTextureObject_t texture_of(cudaResourceDesc resource, cudaTextureFilterMode filter, cudaTextureAddressMode mode) {
  cudaTextureDesc how = {};
  how.filterMode = filter;
  how.addressMode[0] = how.addressMode[1] = mode;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  return texture;
}

static cudaResourceDesc rows(float* x) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = x;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = kWidth * sizeof(float);
  return resource;
}

static cudaResourceDesc line(float* x) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = x;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = kElements * sizeof(float);
  return resource;
}

static void fetch(cudaResourceDesc resource, float* y, cudaTextureFilterMode filter, cudaTextureAddressMode mode, float dx, float dy) {
  cudaTextureObject_t texture = texture_of(resource, filter, mode);
  fetch_at<<<1, 32>>>(texture, y, dx, dy);
  cudaDestroyTextureObject(texture);
}

static void by_surface(float* y) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, kWidth, kHeight, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  copy_surface<<<1, 32>>>(surface, y);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}

static void by_host(float* x, float* y, bool managed) {
  float* host;
  if (managed) cudaMallocManaged(&host, kElements * sizeof(float));
  else cudaMallocHost(&host, kElements * sizeof(float));
  move<<<kElements / kThreads, kThreads>>>(x, host);
  cudaDeviceSynchronize();
  move<<<kElements / kThreads, kThreads>>>(host, y);
  cudaDeviceSynchronize();
  if (managed) cudaFree(host);
  else cudaFreeHost(host);
}

extern "C" void solve(float* x, float* y, int way) {
  const int blocks = kElements / kThreads;
  const cudaTextureFilterMode point = cudaFilterModePoint, linear = cudaFilterModeLinear;
  const cudaTextureAddressMode clamp = cudaAddressModeClamp, border = cudaAddressModeBorder;
  cudaTextureObject_t flat = texture_of(line(x), point, clamp);
  switch (way) {
    case 0: fetch_points<<<blocks, kThreads>>>(flat, y); break;
    case 1: fetch_columns<<<blocks, kThreads>>>(flat, y); break;
    case 2: fetch(rows(x), y, linear, clamp, 0.5f, 0.5f); break;
    case 3: fetch(rows(x), y, linear, clamp, 0.5f, 0.0f); break;
    case 4: fetch(rows(x), y, point, clamp, -100.0f, 0.0f); break;
    case 5: fetch(rows(x), y, point, border, -100.0f, 0.0f); break;
    case 6: by_surface(y); break;
    case 7: copy_async<<<blocks, kThreads>>>(x, y); break;
    case 8: copy_nothing<<<blocks, kThreads>>>(x, y); break;
    case 9: read_by_atomics<<<blocks, kThreads>>>(x, y); break;
    case 10:
      for (int column = 0; column < kWidth; ++column) {
        cudaMemcpy2D(y + column * kHeight, 4, x + column, kWidth * 4, 4, kHeight, cudaMemcpyDeviceToDevice);
      }
      break;
    case 11: cudaMemset(y, 0, kElements * sizeof(float)); break;
    case 12: by_host(x, y, false); break;
    case 13: by_host(x, y, true); break;
    case 14: {
      void* counter;
      cudaGetSymbolAddress(&counter, queue);
      cudaMemset(counter, 0, sizeof(int));
      from_queue<<<8, kThreads>>>(x, y);
      break;
    }
    case 15: move<<<blocks, kThreads>>>(x, y); break;
  }
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(flat);
}
