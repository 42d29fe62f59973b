// Adds one to the elements of a pinned array, in eight chunks that may or may not overlap.
#include <cuda_runtime.h>

constexpr int kChunks = 8;

__global__ void add_one(float* x, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] += 1;
}

static void chunk(float* x, float* device, int count, cudaStream_t stream) {
  cudaMemcpyAsync(device, x, count * sizeof(float), cudaMemcpyHostToDevice, stream);
  add_one<<<(count + 255) / 256, 256, 0, stream>>>(device, count);
  cudaMemcpyAsync(x, device, count * sizeof(float), cudaMemcpyDeviceToHost, stream);
}

extern "C" void solve(float* x, int n, int way) {
  const int count = n / kChunks;
  float* device;
  cudaMalloc(&device, n * sizeof(float));
  cudaStream_t streams[3];
  for (cudaStream_t& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEvent_t done[2];
  for (cudaEvent_t& event : done) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  for (int k = 0; k < kChunks; ++k) {
    float *part = x + k * count, *own = device + k * count;
    const int other = way == 0 ? 0 : k % 2;
    if (way == 2) cudaStreamWaitEvent(streams[other], done[!other], 0);
    if (way == 3) add_one<<<1, 32, 0, streams[2]>>>(device, 0);
    chunk(part, own, count, streams[way == 3 ? 0 : other]);
    if (way == 2) cudaEventRecord(done[other], streams[other]);
    if (way == 4) cudaStreamSynchronize(streams[other]);
  }
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  for (cudaEvent_t event : done) cudaEventDestroy(event);
  cudaFree(device);
}
