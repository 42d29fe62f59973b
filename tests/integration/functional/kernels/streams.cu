// Programs with several streams. Each is wrong, or right where `ordered` is true: out[i] = x[i] + 2 in the end.
__global__ void add_one(const int* from, int* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}

struct Made {
  cudaStream_t first, second;
  cudaEvent_t event;
  int* mid;
  int* pinned;
  int* managed;
  int n;
  int bytes;

  explicit Made(int count) : n(count), bytes(count * int(sizeof(int))) {
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMalloc(&mid, bytes);
    cudaMallocHost(&pinned, bytes);
    cudaMallocManaged(&managed, bytes);
  }
  ~Made() {
    cudaDeviceSynchronize();
    cudaFree(managed);
    cudaFreeHost(pinned);
    cudaFree(mid);
    cudaEventDestroy(event);
    cudaStreamDestroy(second);
    cudaStreamDestroy(first);
  }
  void add(const int* from, int* to, cudaStream_t stream) const {
    add_one<<<(n + 63) / 64, 64, 0, stream>>>(from, to, n);
  }
};

void no_wait(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.mid, m.first);
  cudaEventRecord(m.event, m.first);
  if (ordered) cudaStreamWaitEvent(m.second, m.event, 0);
  m.add(m.mid, out, m.second);
}

void records_other_stream(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.mid, m.first);
  cudaEventRecord(m.event, ordered ? m.first : m.second);
  cudaStreamWaitEvent(m.second, m.event, 0);
  m.add(m.mid, out, m.second);
}

void waits_before_record(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.mid, m.first);
  if (ordered) cudaEventRecord(m.event, m.first);
  cudaStreamWaitEvent(m.second, m.event, 0);
  if (!ordered) cudaEventRecord(m.event, m.first);
  m.add(m.mid, out, m.second);
}

void records_too_early(Made& m, const int* x, int* out, bool ordered) {
  if (!ordered) cudaEventRecord(m.event, m.first);
  m.add(x, m.mid, m.first);
  if (ordered) cudaEventRecord(m.event, m.first);
  cudaStreamWaitEvent(m.second, m.event, 0);
  m.add(m.mid, out, m.second);
}

void default_stream(Made& m, const int* x, int* out, bool ordered) {
  cudaStream_t blocking;
  cudaStreamCreate(&blocking);
  m.add(x, m.mid, ordered ? blocking : m.first);
  m.add(m.mid, out, nullptr);
  cudaStreamDestroy(blocking);
}

void after_default_stream(Made& m, const int* x, int* out, bool ordered) {
  cudaStream_t blocking;
  cudaStreamCreate(&blocking);
  m.add(x, m.mid, nullptr);
  m.add(m.mid, out, ordered ? blocking : m.second);
  cudaStreamDestroy(blocking);
}

void double_buffer(Made& m, const int* x, int* out, bool ordered) {
  const int chunk = m.n / 8;
  cudaEvent_t filled[2], used[2];
  for (int i = 0; i < 2; ++i) cudaEventCreate(&filled[i]), cudaEventCreate(&used[i]);
  m.add(x, m.managed, m.first);
  for (int i = 0; i < 8; ++i) {
    int* buffer = m.mid + i % 2 * chunk;
    if (ordered && i >= 2) cudaStreamWaitEvent(m.first, used[i % 2], 0);
    cudaMemcpyAsync(buffer, m.managed + i * chunk, chunk * sizeof(int), cudaMemcpyDefault, m.first);
    cudaEventRecord(filled[i % 2], m.first);
    cudaStreamWaitEvent(m.second, filled[i % 2], 0);
    add_one<<<1, chunk, 0, m.second>>>(buffer, out + i * chunk, chunk);
    cudaEventRecord(used[i % 2], m.second);
  }
  for (int i = 0; i < 2; ++i) cudaEventDestroy(filled[i]), cudaEventDestroy(used[i]);
}

void copies_back_early(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.mid, m.first);
  m.add(m.mid, m.mid, m.first);
  const cudaStream_t copies = ordered ? m.first : m.second;
  cudaMemcpyAsync(m.pinned, m.mid, m.bytes, cudaMemcpyDeviceToHost, copies);
  cudaStreamSynchronize(copies);
  cudaMemcpy(out, m.pinned, m.bytes, cudaMemcpyHostToDevice);
}

void waits_for_other_stream(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.mid, m.first);
  cudaStreamSynchronize(ordered ? m.first : m.second);
  m.add(m.mid, out, m.second);
}

void clears_late(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.mid, m.second);
  cudaMemsetAsync(out, 0, m.bytes, m.first);
  if (ordered) cudaStreamSynchronize(m.first);
  m.add(m.mid, out, m.second);
}

void launches_graph(Made& m, const int* x, int* out, bool ordered) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, m.first);
  cudaStreamEndCapture(m.first, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, m.first);
  cudaEventRecord(m.event, m.first);
  if (ordered) cudaStreamWaitEvent(m.second, m.event, 0);
  m.add(m.mid, out, m.second);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

// The second branch copies the first one's result, with an edge from before or from after it.
void branches_of_graph(Made& m, const int* x, int* out, bool ordered) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  if (!ordered) cudaEventRecord(m.event, m.first);
  m.add(x, m.mid, m.first);
  if (ordered) cudaEventRecord(m.event, m.first);
  cudaStreamWaitEvent(m.second, m.event, 0);
  m.add(m.mid, out, m.second);
  cudaEventRecord(m.event, m.second);
  cudaStreamWaitEvent(m.first, m.event, 0);
  cudaStreamEndCapture(m.first, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int launch = 0; launch < 2; ++launch) {
    cudaMemsetAsync(m.mid, 0, m.bytes, m.first);
    cudaGraphLaunch(executable, m.first);
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

void reads_pinned(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.mid, m.first);
  cudaMemcpyAsync(m.pinned, m.mid, m.bytes, cudaMemcpyDeviceToHost, m.first);
  if (ordered) cudaStreamSynchronize(m.first);
  for (int i = 0; i < m.n; ++i) m.managed[i] = m.pinned[i];
  cudaDeviceSynchronize();
  m.add(m.managed, out, m.first);
}

void reads_managed(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.managed, nullptr);
  if (ordered) cudaDeviceSynchronize();
  int* sums = new int[m.n];
  for (int i = 0; i < m.n; ++i) sums[i] = m.managed[i] + 1;
  cudaMemcpy(out, sums, m.bytes, cudaMemcpyHostToDevice);
  delete[] sums;
}

void reuses_source(Made& m, const int* x, int* out, bool ordered) {
  cudaMemcpy(m.pinned, x, m.bytes, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(m.mid, m.pinned, m.bytes, cudaMemcpyHostToDevice, m.first);
  if (ordered) cudaStreamSynchronize(m.first);
  for (int i = 0; i < m.n; ++i) m.pinned[i] = 0;
  m.add(m.mid, m.mid, m.first);
  m.add(m.mid, out, m.first);
}

constexpr int kMost = 1024;
__managed__ int values[kMost];

void reads_managed_variable(Made& m, const int* x, int* out, bool ordered) {
  for (int i = 0; i < m.n; ++i) values[i] = 0;
  m.add(x, values, nullptr);
  if (ordered) cudaDeviceSynchronize();
  int* sums = new int[m.n];
  for (int i = 0; i < m.n; ++i) sums[i] = values[i] + 1;
  cudaMemcpy(out, sums, m.bytes, cudaMemcpyHostToDevice);
  delete[] sums;
}

void asks_stream_once(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.managed, m.first);
  while (cudaStreamQuery(m.first) == cudaErrorNotReady && ordered) {}
  for (int i = 0; i < m.n; ++i) m.pinned[i] = m.managed[i];
  cudaDeviceSynchronize();
  m.add(m.pinned, out, m.first);
}

void asks_event_once(Made& m, const int* x, int* out, bool ordered) {
  m.add(x, m.managed, m.first);
  cudaEventRecord(m.event, m.first);
  while (cudaEventQuery(m.event) == cudaErrorNotReady && ordered) {}
  for (int i = 0; i < m.n; ++i) m.pinned[i] = m.managed[i];
  cudaDeviceSynchronize();
  m.add(m.pinned, out, m.first);
}

void allocates_in_other_stream(Made& m, const int* x, int* out, bool ordered) {
  int* mid;
  cudaMallocAsync(&mid, m.bytes, ordered ? m.first : m.second);
  m.add(x, mid, m.first);
  cudaEventRecord(m.event, m.first);
  cudaStreamWaitEvent(m.second, m.event, 0);
  m.add(mid, out, m.second);
  cudaFreeAsync(mid, m.second);
}

// The twins of these are right.
using Program = void (*)(Made&, const int*, int*, bool);
constexpr Program kPrograms[] = {
    no_wait,       records_other_stream,   waits_before_record, records_too_early, default_stream, after_default_stream,
    double_buffer, copies_back_early,      waits_for_other_stream, clears_late,    launches_graph, reads_pinned,
    reads_managed, reuses_source,          reads_managed_variable, asks_stream_once, asks_event_once,
    allocates_in_other_stream, branches_of_graph,
};

extern "C" void solve(const int* x, int* out, int n, int which, int ordered) {
  Made made(n);
  kPrograms[which](made, x, out, ordered != 0);
}
