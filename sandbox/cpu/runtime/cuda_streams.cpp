// Streams and events.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "cuda_error.h"
#include "devices.h"
#include "diagnostics.h"
#include "engine.h"
#include "host_trace.h"
#include "needless_waits.h"
#include "operations.h"
#include "stream_capture.h"
#include "stream_objects.h"
#include "streams.h"

namespace warpcourt::cpu {
namespace {

std::atomic<u64> streams{0}, events{0};  // that live

thread_local bool in_host_function = false;

// Runs a function of the program that a stream calls.
template <class Function>
cudaError_t run_host_function(Function function) {
  in_host_function = true;
  function();
  in_host_function = false;
  return cudaSuccess;
}

bool made(cudaStream_t stream) { return !is_legacy(stream) && stream != cudaStreamPerThread; }

// What is kept for a stream; the default streams, which nobody makes, have one together.
CUstream_st& kept(cudaStream_t stream) {
  static auto* usual = new CUstream_st{.flags = 0, .priority = 0};
  return made(stream) ? *stream : *usual;
}

bool refused_event(const char* call, cudaEvent_t event) {
  if (!event || event->destroyed) {
    refuse(cudaErrorInvalidResourceHandle,
           std::string(call) + (event ? ": the event was destroyed (cudaEventDestroy)" : ": the event was not created"));
    return true;
  }
  return refused(call);
}

bool refused_captured_event(const char* call, cudaEvent_t event) {
  if (!event->captured) return false;
  const std::string message = std::string(call) + ": the event was recorded in a stream that was captured, so it belongs to "
                                                  "the graph. Record it after cudaGraphLaunch, or synchronise the stream";
  if (StreamCapture* const capture = capture_of(event)) capture->invalidate(message);
  refuse(cudaErrorCapturedEvent, message);
  return true;
}

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool blocking(cudaStream_t stream) { return !(kept(stream).flags & cudaStreamNonBlocking); }

TracedStream traced(cudaStream_t stream) { return {kept(stream).number, blocking(stream), place_of(stream).device}; }

cudaError_t submit_now(cudaStream_t stream, const StreamPlace& place, const Step& step, bool of_graph) {
  needless_waits().submit(traced(stream).number, step.is_kernel);
  if (step.is_kernel) host_trace().count_kernel(traced(stream), of_graph);
  return operations().submit(place, step);
}

}  // namespace

bool refused(const char* call, cudaStream_t stream) {
  if (in_host_function) {
    refuse(cudaErrorNotPermitted, std::string(call) + " in a function that cudaLaunchHostFunc or cudaStreamAddCallback runs. "
                                  "Such a function must not call CUDA. Call it after the stream is synchronised");
  } else if (kept(stream).destroyed) {
    refuse(cudaErrorInvalidResourceHandle, std::string(call) + ": the stream was destroyed (cudaStreamDestroy)");
  } else {
    return false;
  }
  return true;
}

bool refused_in_capture(const char* call, bool waits) {
  const auto forbids = [&](const auto& capture) { return waits || capture->mode() != cudaStreamCaptureModeRelaxed; };
  if (std::ranges::none_of(captures_of_thread(), forbids)) return false;
  refuse_in_captures(cudaErrorStreamCaptureUnsupported, std::string(call) + " while a stream is captured. Call it before the capture");
  return true;
}

StreamPlace place_of(cudaStream_t stream) {
  return {stream, made(stream) ? stream->device : current_device(), blocking(stream)};
}

cudaError_t submit(cudaStream_t stream, Step step) {
  if (getpid() != engine().process) {
    return refuse(cudaErrorInitializationError,
                  "a forked process uses the GPU. CUDA does not work in the child of a process that has used CUDA. Call "
                  "CUDA in the first process alone");
  }
  if ((in_host_function || kept(stream).destroyed) && step.describe) {
    refused(step.describe().name.c_str(), stream);
    return last_error();
  }
  const auto is_blocking = [](const auto& capture) { return blocking(capture->first()); };
  if (step.describe && is_legacy(stream) && std::ranges::any_of(captures_of_thread(), is_blocking)) {
    return refuse_in_captures(cudaErrorStreamCaptureImplicit,
                  step.describe().name + " in the default stream while a stream is captured. The default stream waits for the "
                                         "captured stream, which runs nothing. Use the captured stream");
  }
  StreamCapture* const capture = capture_of(stream);
  if (!capture) return submit_now(stream, place_of(stream), step, false);
  capture->submit(stream, std::move(step));
  return cudaSuccess;
}

cudaError_t submit_of_graph(cudaStream_t stream, const StreamPlace& place, const Step& step) {
  return submit_now(stream, place, step, true);
}

u64 live_streams() { return streams; }
u64 live_events() { return events; }

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  static std::atomic<u64> created{0};
  *stream = new CUstream_st{.flags = flags, .priority = priority, .number = ++created, .device = current_device()};
  ++streams;
  operations().watch();
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!stream) return cudaSuccess;
  if (refused("cudaStreamDestroy", stream)) return last_error();
  operations().forget(stream);
  --streams;
  stream->destroyed = true;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (refused("cudaStreamSynchronize", stream)) return last_error();
  if (StreamCapture* const capture = capture_of(stream)) {
    return refuse_in_capture(*capture, cudaErrorStreamCaptureUnsupported, "cudaStreamSynchronize during a capture");
  }
  host_trace().count(HostEvent::kSynchronisation, "cudaStreamSynchronize");
  needless_waits().wait("cudaStreamSynchronize");
  operations().host_waits_for_stream(place_of(stream));
  return cudaSuccess;
}
// CUDA does not keep cudaErrorNotReady as the last error.
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (refused("cudaStreamQuery", stream)) return last_error();
  if (StreamCapture* const capture = capture_of(stream)) {
    return refuse_in_capture(*capture, cudaErrorStreamCaptureUnsupported, "cudaStreamQuery during a capture");
  }
  return operations().stream_has_ended(place_of(stream)) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (refused_event("cudaStreamWaitEvent", event) || refused("cudaStreamWaitEvent", stream)) return last_error();
  StreamCapture* const own = capture_of(stream);
  if (StreamCapture* const capture = capture_of(event)) {
    if (own && own != capture) {
      const std::string message = "cudaStreamWaitEvent: the stream and the event belong to different captures, and captures cannot "
                                  "be merged. Begin only one capture, and let the other stream wait for an event in it";
      own->invalidate(message);
      return refuse_in_capture(*capture, cudaErrorStreamCaptureMerge, message);
    }
    if (is_legacy(stream)) {
      return refuse_in_capture(*capture, cudaErrorStreamCaptureImplicit, "cudaStreamWaitEvent: the default stream cannot join a capture. "
                                                               "Create a stream");
    }
    capture->wait(stream, event);
    return cudaSuccess;
  }
  if (own && flags == cudaEventWaitExternal) {
    return refuse_in_capture(*own, cudaErrorNotSupported, "cudaStreamWaitEvent: functional mode does not support "
                                                    "cudaEventWaitExternal. The program may be right on a GPU");
  }
  if (own) {
    return refuse_in_capture(*own, cudaErrorStreamCaptureIsolation,
                  "cudaStreamWaitEvent: the stream is captured, and the event was not recorded in the capture");
  }
  host_trace().count(HostEvent::kStreamWait, "cudaStreamWaitEvent");
  operations().wait(place_of(stream), event);
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  *flags = kept(stream).flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = kept(stream).priority;
  return cudaSuccess;
}
// Attributes are hints without effect here.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value) {
  if (!value) return refuse(cudaErrorInvalidValue, "cudaStreamSetAttribute: the value is null");
  kept(stream).attributes[attribute] = *value;
  return cudaSuccess;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  if (!value) return refuse(cudaErrorInvalidValue, "cudaStreamGetAttribute: the output pointer is null");
  *value = {};
  const auto& attributes = kept(stream).attributes;
  if (const auto found = attributes.find(attribute); found != attributes.end()) *value = found->second;
  return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  kept(to).attributes = kept(from).attributes;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  *device = place_of(stream).device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  const auto work = [=] {
    return run_host_function([=] { callback(stream, cudaSuccess, data); });
  };
  return submit(stream, {work, [] { return Description{.name = "cudaStreamAddCallback", .on_host = true}; }});
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  const auto work = [=] {
    return run_host_function([=] { function(data); });
  };
  return submit(stream, {work, [] { return Description{.name = "cudaLaunchHostFunc", .on_host = true}; }});
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st{.device = current_device()};
  ++events;
  operations().watch();  // whether the host has waited for an event is known from the order of streams
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return cudaSuccess;
  if (refused_event("cudaEventDestroy", event)) return last_error();
  operations().forget(event);
  --events;
  event->destroyed = true;
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (refused_event("cudaEventRecord", event) || refused("cudaEventRecord", stream)) return last_error();
  if (event->device != place_of(stream).device) {
    return refuse(cudaErrorInvalidResourceHandle,
                  "cudaEventRecord: the event belongs to device " + std::to_string(event->device) +
                      " and the stream to device " + std::to_string(place_of(stream).device) +
                      ". Create the event while the device of the stream is current");
  }
  const auto work = [event] {
    event->recorded_ms = now_ms();
    return cudaSuccess;
  };
  StreamCapture* const capture = capture_of(stream);
  if (capture && flags == cudaEventRecordExternal) {
    return refuse_in_capture(*capture, cudaErrorNotSupported, "cudaEventRecordWithFlags: functional mode does not support "
                                                    "cudaEventRecordExternal. The program may be right on a GPU");
  }
  event->captured = capture;
  for (const auto& other : captures_of_thread()) {
    if (other.get() != capture) other->forget(event);
  }
  if (capture) {
    capture->record(event, stream, {work, nullptr});
    return cudaSuccess;
  }
  host_trace().count(HostEvent::kEventRecord, "cudaEventRecord");
  event->record = host_trace().record(traced(stream));
  operations().record(event, place_of(stream));
  return submit(stream, {work, nullptr});
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (refused_event("cudaEventSynchronize", event) || refused_captured_event("cudaEventSynchronize", event)) return last_error();
  host_trace().count(HostEvent::kSynchronisation, "cudaEventSynchronize");
  operations().host_waits_for_event(event);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (refused_event("cudaEventQuery", event) || refused_captured_event("cudaEventQuery", event)) return last_error();
  return operations().event_has_happened(event) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  if (refused_event("cudaEventElapsedTime", from) || refused_event("cudaEventElapsedTime", to)) return last_error();
  if (from->recorded_ms < 0 || to->recorded_ms < 0) {
    return refuse(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime: an event was not recorded");
  }
  if (from->device != to->device) {
    return refuse(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime: the events belong to two devices");
  }
  if (!operations().host_has_waited_for(from) || !operations().host_has_waited_for(to)) {
    report({Severity::kWarning, "cuda_error",
            "cudaEventElapsedTime: the host has not waited for the events, so it returns cudaErrorNotReady and no time. "
            "Call cudaEventSynchronize for the later event first.",
            {}});
    // A program that asks until there is a time must get one. CUDA does not keep this error as the last one.
    operations().host_waits_for_event(from);
    operations().host_waits_for_event(to);
    return cudaErrorNotReady;
  }
  host_trace().compare(from->record, to->record);
  *ms = static_cast<float>(to->recorded_ms - from->recorded_ms);
  return cudaSuccess;
}

}  // extern "C"

}  // namespace warpcourt::cpu
