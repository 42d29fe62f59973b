// Streams, events, pinned and managed memory, pitched copies, occupancy, and a captured graph.
__global__ void increment(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

extern "C" void solve(float* data, float* facts, int n) {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventRecord(start, first);
  increment<<<(n + 63) / 64, 64, 0, first>>>(data, n);
  cudaEventRecord(stop, first);
  cudaStreamWaitEvent(second, stop, 0);
  increment<<<(n + 63) / 64, 64, 0, second>>>(data, n);
  cudaStreamSynchronize(second);
  float ms = -1;
  cudaEventElapsedTime(&ms, start, stop);

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < 3; ++i) increment<<<(n + 63) / 64, 64, 0, first>>>(data, n);
  cudaStreamEndCapture(first, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, first);
  cudaGraphLaunch(executable, first);

  float *managed, *pinned;
  cudaMallocManaged(&managed, 4 * sizeof(float));
  cudaMallocHost(&pinned, 4 * sizeof(float));
  for (int i = 0; i < 4; ++i) managed[i] = pinned[i] = i;
  increment<<<1, 4>>>(managed, 4);
  increment<<<1, 4>>>(pinned, 4);
  cudaDeviceSynchronize();

  void* pitched;
  size_t pitch;
  cudaMallocPitch(&pitched, &pitch, 12, 4);
  cudaMemset2D(pitched, pitch, 0, 12, 4);
  float corner[3] = {-1, -1, -1};
  cudaMemcpy2D(corner, 12, (char*)pitched + 3 * pitch, pitch, 12, 1, cudaMemcpyDeviceToHost);

  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  float host[8] = {ms >= 0 ? 1.0f : 0.0f, managed[3], pinned[3], corner[2], float(blocks),
                   float(properties.warpSize), float(cudaGetLastError()), 0};
  cudaMemcpy(facts, host, sizeof host, cudaMemcpyHostToDevice);
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaFree(pitched);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamAttrValue wanted = {}, got = {};
  wanted.accessPolicyWindow.hitRatio = 0.5f;
  cudaStreamSetAttribute(first, cudaStreamAttributeAccessPolicyWindow, &wanted);
  cudaStreamCopyAttributes(second, first);
  cudaStreamGetAttribute(second, cudaStreamAttributeAccessPolicyWindow, &got);
  if (cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &wanted) == cudaSuccess) {
    cudaMemcpy(facts + 7, &got.accessPolicyWindow.hitRatio, sizeof(float), cudaMemcpyHostToDevice);
  }
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
