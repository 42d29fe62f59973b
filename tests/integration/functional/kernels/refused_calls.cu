// Programs that use a stream or an event after its end, call CUDA in a function of a stream, or misuse a capture. Each is
// wrong, or right where `proper` is true: out[i] = x[i] + 2 in the end.
__global__ void add_one(const int* from, int* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + 1;
}

struct Made {
  cudaStream_t first, second;
  cudaEvent_t event, joined;
  int* mid;
  int n;

  explicit Made(int count) : n(count) {
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&event);
    cudaEventCreate(&joined);
    cudaMalloc(&mid, n * sizeof(int));
  }
  ~Made() {
    cudaDeviceSynchronize();
    cudaFree(mid);
    cudaEventDestroy(joined);
    cudaEventDestroy(event);
    cudaStreamDestroy(second);
    cudaStreamDestroy(first);
  }
  void add(const int* from, int* to, cudaStream_t stream) const {
    add_one<<<(n + 63) / 64, 64, 0, stream>>>(from, to, n);
  }
  void run(cudaGraph_t graph) const {
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, first);
    cudaStreamSynchronize(first);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
};

void launches_in_destroyed_stream(Made& m, const int* x, int* out, bool proper) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  m.add(x, m.mid, stream);
  if (!proper) cudaStreamDestroy(stream);
  m.add(m.mid, out, stream);
  if (proper) cudaStreamDestroy(stream);
}

void waits_for_destroyed_stream(Made& m, const int* x, int* out, bool proper) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  m.add(x, m.mid, stream);
  m.add(m.mid, out, stream);
  if (proper) cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  if (!proper) cudaStreamSynchronize(stream);
}

void records_destroyed_event(Made& m, const int* x, int* out, bool proper) {
  cudaEvent_t event;
  cudaEventCreate(&event);
  if (!proper) cudaEventDestroy(event);
  m.add(x, m.mid, m.first);
  cudaEventRecord(event, m.first);
  cudaStreamWaitEvent(m.second, event, 0);
  m.add(m.mid, out, m.second);
  if (proper) cudaEventDestroy(event);
}

struct Job {
  const Made* made;
  const int* from;
  int* to;
  bool runs;
};

void do_job(void* data) {
  const Job* job = static_cast<Job*>(data);
  if (job->runs) job->made->add(job->from, job->to, job->made->first);
}

void launches_in_host_function(Made& m, const int* x, int* out, bool proper) {
  Job job{&m, m.mid, out, !proper};
  m.add(x, m.mid, m.first);
  cudaLaunchHostFunc(m.first, do_job, &job);
  if (proper) m.add(m.mid, out, m.first);
  cudaStreamSynchronize(m.first);
}

void synchronises_in_capture(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, m.first);
  if (!proper) cudaDeviceSynchronize();
  m.add(m.mid, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
}

void allocates_in_capture(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  int* scratch = nullptr;
  if (proper) cudaMalloc(&scratch, m.n * sizeof(int));
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  if (!proper) cudaMalloc(&scratch, m.n * sizeof(int));
  m.add(x, m.mid, m.first);
  m.add(m.mid, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
  cudaFree(scratch);
}

void copies_in_capture(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, m.first);
  if (proper) cudaMemcpyAsync(out, m.mid, m.n * sizeof(int), cudaMemcpyDeviceToDevice, m.first);
  else cudaMemcpy(out, m.mid, m.n * sizeof(int), cudaMemcpyDeviceToDevice);
  m.add(out, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
}

void joins_no_other_stream(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, m.first);
  cudaEventRecord(m.event, m.first);
  cudaStreamWaitEvent(m.second, m.event, 0);
  m.add(m.mid, out, m.second);
  cudaEventRecord(m.joined, m.second);
  if (proper) cudaStreamWaitEvent(m.first, m.joined, 0);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
}

void waits_for_event_outside(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  m.add(x, m.mid, m.second);
  cudaEventRecord(m.event, m.second);
  if (proper) cudaStreamWaitEvent(m.first, m.event, 0);
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  if (!proper) cudaStreamWaitEvent(m.first, m.event, 0);
  m.add(m.mid, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
}

void queries_in_capture(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, m.first);
  if (!proper) cudaStreamQuery(m.first);
  m.add(m.mid, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
}

void synchronises_in_relaxed_capture(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  int* scratch;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeRelaxed);
  cudaMalloc(&scratch, 4);
  m.add(x, m.mid, m.first);
  if (!proper) cudaDeviceSynchronize();
  m.add(m.mid, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
  cudaFree(scratch);
}

// The capture is invalid, although the program has cleared the error.
void clears_error_of_capture(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, m.first);
  if (!proper) cudaStreamSynchronize(m.first);
  cudaGetLastError();
  m.add(m.mid, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
}

void waits_for_captured_event(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, m.first);
  m.add(m.mid, out, m.first);
  cudaEventRecord(m.event, m.first);
  cudaStreamEndCapture(m.first, &graph);
  m.run(graph);
  if (proper) cudaEventRecord(m.event, m.first);
  cudaEventSynchronize(m.event);
}

void launches_destroyed_graph(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, m.first);
  m.add(m.mid, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  if (!proper) cudaGraphExecDestroy(executable);
  cudaGraphLaunch(executable, m.first);
  cudaStreamSynchronize(m.first);
  if (proper) cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

void joins_default_stream(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaStream_t apart;
  cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
  cudaStreamBeginCapture(apart, cudaStreamCaptureModeGlobal);
  m.add(x, m.mid, apart);
  cudaEventRecord(m.event, apart);
  if (!proper) cudaStreamWaitEvent(0, m.event, 0);
  m.add(m.mid, out, apart);
  cudaStreamEndCapture(apart, &graph);
  m.run(graph);
  cudaStreamDestroy(apart);
}

// A stream that takes no part in the capture is not recorded.
void launches_outside_capture(Made& m, const int* x, int* out, bool proper) {
  cudaGraph_t graph;
  cudaStreamBeginCapture(m.first, cudaStreamCaptureModeRelaxed);
  m.add(x, m.mid, proper ? m.first : m.second);
  m.add(m.mid, out, m.first);
  cudaStreamEndCapture(m.first, &graph);
  cudaMemset(m.mid, 0, m.n * sizeof(int));
  m.run(graph);
}

using Program = void (*)(Made&, const int*, int*, bool);
constexpr Program kPrograms[] = {
    launches_in_destroyed_stream, waits_for_destroyed_stream, records_destroyed_event, launches_in_host_function,
    synchronises_in_capture,      allocates_in_capture,       copies_in_capture,       joins_no_other_stream,
    waits_for_event_outside,      queries_in_capture,         synchronises_in_relaxed_capture,
    clears_error_of_capture,      waits_for_captured_event,   launches_destroyed_graph,
    joins_default_stream,         launches_outside_capture,
};

extern "C" void solve(const int* x, int* out, int n, int which, int proper) {
  Made made(n);
  kPrograms[which](made, x, out, proper != 0);
}
