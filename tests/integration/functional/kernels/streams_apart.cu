// Programs with several streams, host functions or flags that need no more order than they have: out[i] = x[i] + 2.
__global__ void add_one(const int* from, int* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}
__global__ void add_two(const int* from, int* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 2;
}
__global__ void raise_by_one(int* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&to[i], 1);
}
__global__ void answer(const int* x, int* values, int* flag, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = x[i] + 2;
  __syncthreads();
  __threadfence_system();
  if (threadIdx.x == 0) *(volatile int*)flag = 1;
}

void halves(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  add_two<<<1, n / 2, 0, a>>>(x, out, n / 2);
  add_two<<<1, n / 2, 0, b>>>(x + n / 2, out + n / 2, n / 2);
}

void columns(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  int* mid;
  cudaMalloc(&mid, n * sizeof(int));
  add_two<<<1, n>>>(x, mid, n);
  cudaDeviceSynchronize();
  const size_t pitch = 16 * sizeof(int), half = pitch / 2;
  cudaMemcpy2DAsync(out, pitch, mid, pitch, half, n / 16, cudaMemcpyDeviceToDevice, a);
  cudaMemcpy2DAsync(out + 8, pitch, mid + 8, pitch, half, n / 16, cudaMemcpyDeviceToDevice, b);
  cudaFree(mid);
}

void atomics(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  cudaMemcpy(out, x, n * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  raise_by_one<<<1, n, 0, a>>>(out, n);
  raise_by_one<<<1, n, 0, b>>>(out, n);
}

void pageable(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  int* host = new int[n];
  cudaMemcpyAsync(host, x, n * sizeof(int), cudaMemcpyDeviceToHost, a);
  for (int i = 0; i < n; ++i) ++host[i];
  cudaMemcpyAsync(out, host, n * sizeof(int), cudaMemcpyHostToDevice, b);
  for (int i = 0; i < n; ++i) host[i] = -1;
  add_one<<<1, n, 0, b>>>(out, out, n);
  delete[] host;
}

struct Task {
  int* values;
  int n;
};

void host_function(const int* x, int* out, int n, cudaStream_t a, cudaStream_t) {
  int* pinned;
  cudaMallocHost(&pinned, n * sizeof(int));
  Task task{pinned, n};
  cudaMemcpyAsync(pinned, x, n * sizeof(int), cudaMemcpyDeviceToHost, a);
  cudaLaunchHostFunc(
      a,
      [](void* data) {
        const Task& todo = *static_cast<Task*>(data);
        for (int i = 0; i < todo.n; ++i) todo.values[i] += 2;
      },
      &task);
  cudaMemcpyAsync(out, pinned, n * sizeof(int), cudaMemcpyHostToDevice, a);
  cudaStreamSynchronize(a);
  cudaFreeHost(pinned);
}

void mapped_flag(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  int* pinned;
  cudaMallocHost(&pinned, (n + 1) * sizeof(int));
  pinned[n] = 0;
  answer<<<1, 64, 0, a>>>(x, pinned, pinned + n, n);
  while (*(volatile int*)(pinned + n) == 0) {}
  cudaMemcpyAsync(out, pinned, n * sizeof(int), cudaMemcpyHostToDevice, b);
  cudaStreamSynchronize(b);
  cudaFreeHost(pinned);
}

void polls_event(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  int* mid;
  cudaEvent_t event;
  cudaMalloc(&mid, n * sizeof(int));
  cudaEventCreate(&event);
  add_one<<<1, n, 0, a>>>(x, mid, n);
  cudaEventRecord(event, a);
  while (cudaEventQuery(event) == cudaErrorNotReady) {}
  add_one<<<1, n, 0, b>>>(mid, out, n);
  cudaEventDestroy(event);
  cudaFree(mid);
}

void frees_in_order(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  int* mid;
  cudaEvent_t used;
  cudaEventCreate(&used);
  cudaMallocAsync(&mid, n * sizeof(int), a);
  add_one<<<1, n, 0, a>>>(x, mid, n);
  cudaEventRecord(used, a);
  cudaStreamWaitEvent(b, used, 0);
  add_one<<<1, n, 0, b>>>(mid, out, n);
  cudaEventRecord(used, b);
  cudaStreamWaitEvent(a, used, 0);
  cudaFreeAsync(mid, a);
  cudaEventDestroy(used);
}

void frees_early(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  int* mid;
  cudaMalloc(&mid, n * sizeof(int));
  add_one<<<1, n, 0, a>>>(x, mid, n);
  cudaStreamSynchronize(a);
  add_one<<<1, n, 0, b>>>(mid, out, n);
  cudaFreeAsync(mid, a);
}

// Both of a hazard, and no harm: the second one writes what is there.
void same_values(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  add_two<<<1, n, 0, a>>>(x, out, n);
  add_two<<<1, n, 0, b>>>(x, out, n);
}

void keeps_a_buffer(const int* x, int* out, int n, cudaStream_t a, cudaStream_t) {
  static int* mid = nullptr;
  if (!mid) cudaMalloc(&mid, n * sizeof(int));
  add_one<<<1, n, 0, a>>>(x, mid, n);
  add_one<<<1, n, 0, a>>>(mid, out, n);
}

void leaks_all(const int* x, int* out, int n, cudaStream_t a, cudaStream_t) {
  int* mid;
  cudaStream_t stream;
  cudaEvent_t event;
  cudaMalloc(&mid, n * sizeof(int));
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  add_one<<<1, n, 0, a>>>(x, mid, n);
  add_one<<<1, n, 0, a>>>(mid, out, n);
}

void frees_before_use(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  int* mid;
  cudaEvent_t written;
  cudaEventCreate(&written);
  cudaMallocAsync(&mid, n * sizeof(int), a);
  add_one<<<1, n, 0, a>>>(x, mid, n);
  cudaEventRecord(written, a);
  cudaFreeAsync(mid, a);
  cudaStreamWaitEvent(b, written, 0);
  add_one<<<1, n, 0, b>>>(mid, out, n);
  cudaEventDestroy(written);
}

// A launch of a graph comes after the previous launch of the same graph.
void launches_one_graph_in_two_streams(const int* x, int* out, int n, cudaStream_t a, cudaStream_t b) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaMemcpy(out, x, n * sizeof(int), cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
  add_one<<<1, n, 0, a>>>(out, out, n);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, a);
  cudaGraphLaunch(executable, b);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

using Program = void (*)(const int*, int*, int, cudaStream_t, cudaStream_t);
constexpr Program kPrograms[] = {
    halves,      columns,        atomics,     pageable,    host_function,  mapped_flag,
    polls_event, frees_in_order, frees_early, same_values, keeps_a_buffer, leaks_all,
    frees_before_use, launches_one_graph_in_two_streams,
};

extern "C" void solve(const int* x, int* out, int n, int which) {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  kPrograms[which](x, out, n, a, b);
  cudaDeviceSynchronize();
  cudaStreamDestroy(b);
  cudaStreamDestroy(a);
}
