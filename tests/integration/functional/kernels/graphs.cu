// Programs that capture two streams at once, or update a graph. out[i] = x[i] + 2 in the end.
__global__ void add(const int* from, int* to, int n, int amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + amount;
}

struct Made {
  cudaStream_t first, second;
  cudaEvent_t event;
  int* mid;
  int n;

  explicit Made(int count) : n(count) {
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&event);
    cudaMalloc(&mid, n * sizeof(int));
  }
  ~Made() {
    cudaDeviceSynchronize();
    cudaFree(mid);
    cudaEventDestroy(event);
    cudaStreamDestroy(second);
    cudaStreamDestroy(first);
  }
  void run(const int* from, int* to, cudaStream_t stream, int amount = 1) const {
    add<<<(n + 63) / 64, 64, 0, stream>>>(from, to, n, amount);
  }
  cudaGraphExec_t instantiate(cudaGraph_t graph) const {
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    return executable;
  }
  void launch(cudaGraphExec_t executable) const {
    cudaGraphLaunch(executable, first);
    cudaStreamSynchronize(first);
    cudaGraphExecDestroy(executable);
  }
  void begin(cudaStream_t stream) const { cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); }
  cudaGraph_t end(cudaStream_t stream) const {
    cudaGraph_t graph;
    cudaStreamEndCapture(stream, &graph);
    return graph;
  }
};

void two_captures(Made& m, const int* x, int* out) {
  m.begin(m.first);
  m.begin(m.second);
  m.run(x, m.mid, m.first);
  m.run(m.mid, out, m.second);
  const cudaGraph_t first = m.end(m.first), second = m.end(m.second);
  m.launch(m.instantiate(first));
  m.launch(m.instantiate(second));
}

// Waiting for one captured stream leaves the capture of the other one valid.
void spoils_one_capture(Made& m, const int* x, int* out) {
  m.begin(m.first);
  m.begin(m.second);
  cudaStreamSynchronize(m.second);
  m.run(x, out, m.first, 2);
  m.end(m.second);
  cudaGetLastError();
  m.launch(m.instantiate(m.end(m.first)));
}

void merges_captures(Made& m, const int* x, int* out) {
  m.begin(m.first);
  m.begin(m.second);
  m.run(x, m.mid, m.first);
  cudaEventRecord(m.event, m.first);
  cudaStreamWaitEvent(m.second, m.event, 0);
}

void captures_twice(Made& m, const int* x, int* out) {
  m.begin(m.first);
  m.begin(m.first);
}

void updates(Made& m, const int* x, int* out) {
  m.begin(m.first);
  m.run(x, m.mid, m.first, 7);
  m.run(m.mid, m.mid, m.first, 7);
  const cudaGraphExec_t executable = m.instantiate(m.end(m.first));
  m.begin(m.first);
  m.run(x, m.mid, m.first);
  m.run(m.mid, out, m.first);
  const cudaGraph_t graph = m.end(m.first);
  cudaGraphExecUpdateResultInfo info;
  if (cudaGraphExecUpdate(executable, graph, &info) != cudaSuccess || info.result != cudaGraphExecUpdateSuccess) return;
  cudaGraphDestroy(graph);
  m.launch(executable);
}

// What cannot be updated is instantiated again, and the result says why.
void instantiates_again(Made& m, const int* x, int* out) {
  m.begin(m.first);
  m.run(x, m.mid, m.first);
  cudaMemsetAsync(out, 0, 4, m.first);
  cudaMemcpyAsync(m.mid, x, 4, cudaMemcpyDeviceToDevice, m.first);
  const cudaGraphExec_t executable = m.instantiate(m.end(m.first));
  int results = 0;
  static int on_host[4];
  for (int change = 0; change < 3; ++change) {
    m.begin(m.first);
    if (change != 1) m.run(x, m.mid, m.first);
    cudaMemsetAsync(out, 0, 4, m.first);
    if (change == 1) m.run(x, m.mid, m.first);
    if (change) cudaMemcpyAsync(m.mid, change == 2 ? on_host : x, 4, cudaMemcpyDefault, m.first);
    const cudaGraph_t graph = m.end(m.first);
    cudaGraphExecUpdateResultInfo info = {};
    if (cudaGraphExecUpdate(executable, graph, &info) == cudaErrorGraphExecUpdateFailure) results = 10 * results + info.result;
    cudaGraphDestroy(graph);
  }
  cudaGetLastError();
  cudaGraphExecDestroy(executable);
  const int expected = 100 * cudaGraphExecUpdateErrorTopologyChanged + 10 * cudaGraphExecUpdateErrorNodeTypeChanged +
                       cudaGraphExecUpdateErrorParametersChanged;
  m.run(x, out, m.first, results == expected ? 2 : results);
}

void ignores_failed_update(Made& m, const int* x, int* out) {
  m.begin(m.first);
  m.run(x, out, m.first, 2);
  const cudaGraphExec_t executable = m.instantiate(m.end(m.first));
  m.begin(m.first);
  const cudaGraph_t empty = m.end(m.first);
  cudaGraphExecUpdateResultInfo info;
  cudaGraphExecUpdate(executable, empty, &info);
  cudaGraphDestroy(empty);
  m.launch(executable);
}

// The same copies from and to pageable memory, twice.
void copies_pageable_memory(Made& m, const int* x, int* out) {
  static int in[256], result[256];
  for (int& value : in) value = 2;
  m.begin(m.first);
  cudaMemcpyAsync(m.mid, in, sizeof in, cudaMemcpyHostToDevice, m.first);
  m.run(x, out, m.first, 2);
  cudaMemcpyAsync(result, out, sizeof result, cudaMemcpyDeviceToHost, m.first);
  const cudaGraphExec_t executable = m.instantiate(m.end(m.first));
  cudaGraphLaunch(executable, m.first);
  m.launch(executable);
}

using Program = void (*)(Made&, const int*, int*);
constexpr Program kPrograms[] = {
    two_captures, spoils_one_capture,    merges_captures,        captures_twice, updates, instantiates_again,
    ignores_failed_update, copies_pageable_memory,
};

extern "C" void solve(const int* x, int* out, int n, int which) {
  Made made(n);
  kPrograms[which](made, x, out);
}
