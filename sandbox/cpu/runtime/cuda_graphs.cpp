// Captures and graphs. A graph is the list of what the streams of its capture got. A launch gives the first branch to its
// own stream and each other branch to a stream of the graph. A capture of a launch takes all branches as one.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cuda_error.h"
#include "host_trace.h"
#include "operations.h"
#include "stream_capture.h"
#include "stream_objects.h"
#include "streams.h"

struct CUgraph_st {
  warpcourt::cpu::CapturedGraph captured;
};

struct CUgraphExec_st {
  warpcourt::cpu::CapturedGraph captured;
  std::vector<CUstream_st> branches = {};  // from the second
  std::vector<CUevent_st> events = {};
  CUevent_st launched = {};  // the end of the last launch
  bool was_launched = false;
  bool destroyed = false;  // it is kept, so that a later use is told from a use of a new one
};

namespace warpcourt::cpu {
namespace {

// A node of a graph that is launched in `stream`.
cudaError_t launch_node(CUgraphExec_st& executable, const GraphNode& node, cudaStream_t stream) {
  const StreamPlace place =
      node.branch ? StreamPlace{&executable.branches[node.branch - 1], executable.captured.branches[node.branch].device, false}
                  : place_of(stream);
  if (node.kind == GraphNode::Kind::kWait) {
    operations().wait(place, &executable.events[node.event]);
    return cudaSuccess;
  }
  if (node.kind == GraphNode::Kind::kRecord) operations().record(&executable.events[node.event], place);
  return submit_of_graph(stream, place, node.step);
}

// Whether a call gets no graph. The failed call before it says why, if it is the last error.
bool is_missing(const void* graph, const char* call) {
  if (!graph && last_error() == cudaSuccess) refuse(cudaErrorInvalidValue, std::string(call) + ": the graph is null");
  return !graph;
}

bool is_destroyed(cudaGraphExec_t executable, const char* call) {
  if (!executable->destroyed) return false;
  refuse(cudaErrorInvalidResourceHandle, std::string(call) + ": the graph was destroyed (cudaGraphExecDestroy)");
  return true;
}

// "cudaMemcpy" of each kind of copy, likewise of fills, else the whole name.
std::string call_of(const std::string& name) {
  for (const char* call : {"cudaMemcpy", "cudaMemset"}) {
    if (name.starts_with(call)) return call;
  }
  return name;
}

// " (host to device)" of a copy, else "".
std::string direction_of(const std::string& name) {
  const std::size_t at = name.find(" (");
  return at == std::string::npos ? "" : name.substr(at);
}

// Whether the node of an executable graph may get what `next` does, and what to say if not.
cudaGraphExecUpdateResult compare_nodes(const GraphNode& node, const GraphNode& next, std::string& why_not) {
  if (node.kind != next.kind || node.branch != next.branch || node.event != next.event) {
    why_not = "the edges of the new graph are different";
    return cudaGraphExecUpdateErrorTopologyChanged;
  }
  if (!node.step.describe || !next.step.describe) return cudaGraphExecUpdateSuccess;
  const std::string name = node.step.describe().name, next_name = next.step.describe().name;
  if (node.step.is_kernel && next.step.is_kernel) return cudaGraphExecUpdateSuccess;
  if (node.step.is_kernel != next.step.is_kernel || call_of(name) != call_of(next_name)) {
    why_not = name + " cannot become " + next_name;
    return cudaGraphExecUpdateErrorNodeTypeChanged;
  }
  if (direction_of(name) == direction_of(next_name)) return cudaGraphExecUpdateSuccess;
  why_not = name + " cannot become " + next_name + ": an update cannot change the direction of a copy";
  return cudaGraphExecUpdateErrorParametersChanged;
}

// Whether an executable graph may get what `next` does.
cudaGraphExecUpdateResult compare_graphs(const CapturedGraph& graph, const CapturedGraph& next, std::string& why_not) {
  if (graph.nodes.size() != next.nodes.size() || graph.branches.size() != next.branches.size()) {
    why_not = "the new graph has different nodes or edges";
    return cudaGraphExecUpdateErrorTopologyChanged;
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const cudaGraphExecUpdateResult result = compare_nodes(graph.nodes[i], next.nodes[i], why_not);
    if (result != cudaGraphExecUpdateSuccess) return result;
  }
  return cudaGraphExecUpdateSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (refused("cudaStreamBeginCapture", stream)) return last_error();
  if (is_legacy(stream)) return refuse(cudaErrorStreamCaptureUnsupported, "the default stream cannot be captured; create one");
  if (captures(stream)) return refuse(cudaErrorIllegalState, "cudaStreamBeginCapture: the stream is already being captured");
  captures_of_thread().push_back(std::make_unique<StreamCapture>(stream, mode));
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  StreamCapture* const capture = capture_of(stream);
  if (!capture) return refuse(cudaErrorIllegalState, "cudaStreamEndCapture: the stream is not captured");
  if (stream != capture->first()) {
    return refuse_in_capture(*capture, cudaErrorStreamCaptureUnmatched,
                             "cudaStreamEndCapture: the capture began in another stream");
  }
  auto& all = captures_of_thread();
  const auto place = std::ranges::find(all, capture, [](const auto& one) { return one.get(); });
  const std::unique_ptr<StreamCapture> ended = std::move(*place);
  all.erase(place);
  if (!ended->invalid().empty()) {
    return refuse(cudaErrorStreamCaptureInvalidated,
                  "cudaStreamEndCapture: there is no graph, because the capture does not permit an earlier call: " +
                      ended->invalid());
  }
  if (!ended->is_joined()) {
    return refuse(cudaErrorStreamCaptureUnjoined,
                  "cudaStreamEndCapture: another stream of the capture has work that the first one does not wait for. Record "
                  "an event after it, and let the first stream wait for the event");
  }
  *graph = new CUgraph_st{ended->finish()};
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = captures(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  if (graph) host_trace().count(HostEvent::kGraphInstantiation, "cudaGraphInstantiate");
  *executable = nullptr;
  if (is_missing(graph, "cudaGraphInstantiate")) return cudaErrorInvalidValue;
  *executable = new CUgraphExec_st{graph->captured};
  if (graph->captured.branches.size() > 1) (*executable)->branches.resize(graph->captured.branches.size() - 1);
  (*executable)->events.resize(graph->captured.events);
  return cudaSuccess;
}
#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
#endif
#if CUDART_VERSION >= 12000
// A node has no handle here, so the result never names one. Programs update a graph before they instantiate another, so a
// failure is no finding, and its reason goes with the error.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  if (is_missing(executable, "cudaGraphExecUpdate") || is_missing(graph, "cudaGraphExecUpdate")) return cudaErrorInvalidValue;
  if (is_destroyed(executable, "cudaGraphExecUpdate")) return last_error();
  std::string why_not;
  const cudaGraphExecUpdateResult result = compare_graphs(executable->captured, graph->captured, why_not);
  if (info) *info = {.result = result, .errorNode = nullptr, .errorFromNode = nullptr};
  if (result != cudaGraphExecUpdateSuccess) {
    return set_error(cudaErrorGraphExecUpdateFailure,
                     "cudaGraphExecUpdate: " + why_not + ". Instantiate the new graph (cudaGraphInstantiate)");
  }
  executable->captured = graph->captured;
  return cudaSuccess;
}
#endif
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (is_missing(executable, "cudaGraphLaunch")) return cudaErrorInvalidValue;
  if (is_destroyed(executable, "cudaGraphLaunch")) return last_error();
  // A launch comes after the work of its stream, and after the previous launch of the same graph in any stream.
  const bool now = !captures(stream);
  if (now) host_trace().count(HostEvent::kGraphLaunch, "cudaGraphLaunch");
  if (now && executable->was_launched) operations().wait(place_of(stream), &executable->launched);
  cudaError_t error = cudaSuccess;
  for (const GraphNode& node : executable->captured.nodes) {
    if (now) {
      error = launch_node(*executable, node, stream);
    } else if (node.kind != GraphNode::Kind::kWait) {
      error = submit(stream, node.step);
    }
    if (error != cudaSuccess) break;
  }
  if (now) operations().record(&executable->launched, place_of(stream));
  executable->was_launched |= now;
  return error;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  if (!executable) return cudaSuccess;
  if (is_destroyed(executable, "cudaGraphExecDestroy")) return last_error();
  for (CUstream_st& branch : executable->branches) operations().forget(&branch);
  for (CUevent_st& event : executable->events) operations().forget(&event);
  operations().forget(&executable->launched);
  executable->captured = {};
  executable->destroyed = true;
  return cudaSuccess;
}

}  // extern "C"

}  // namespace warpcourt::cpu
