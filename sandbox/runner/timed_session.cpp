// Timed sessions for the Python runners on a GPU, as a shared library without Python in it: see
// timed_session.h.
//
// Theory of operation. Between the wait for an order and the call of a submission there is nothing that
// Python can reach: no frame, no list of calls, no module to patch. The calls are held here and taken out
// of the garbage collector's sight, so that a submission does not come across its other calls. The tensors
// that they are made with it may find. None of that is what makes times honest, see docs/adr/0009; it only
// leaves less to look at.
//
// The few functions of Python's stable interface are declared here, so that no header of a Python is needed
// and one build serves all versions.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#include "timed_session.h"
#include "wire.h"

extern "C" {
struct PyObject;
PyObject* PyObject_CallObject(PyObject* callable, PyObject* arguments);
std::ptrdiff_t PyList_Size(PyObject* list);
PyObject* PyList_GetItem(PyObject* list, std::ptrdiff_t index);
int PyList_SetSlice(PyObject* list, std::ptrdiff_t low, std::ptrdiff_t high, PyObject* items);
int PyObject_GC_IsTracked(PyObject* object);
void PyObject_GC_Track(void* object);
void PyObject_GC_UnTrack(void* object);
void Py_IncRef(PyObject* object);
void Py_DecRef(PyObject* object);
void* PyEval_SaveThread();
void PyEval_RestoreThread(void* state);
}

namespace warpcourt {
namespace {

constexpr int kRaised = -1;  // a Python exception is set

using StreamValue = int (*)(void* stream, std::uint64_t address, std::uint64_t value, unsigned flags);
using Synchronize = int (*)();

// The driver's functions, as far as there is a GPU.
struct Queue {
  StreamValue wait = nullptr, write = nullptr;
  Synchronize synchronize = nullptr;

  bool load() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    wait = reinterpret_cast<StreamValue>(dlsym(library, "cuStreamWaitValue64_v2"));
    write = reinterpret_cast<StreamValue>(dlsym(library, "cuStreamWriteValue64_v2"));
    synchronize = reinterpret_cast<Synchronize>(dlsym(library, "cuCtxSynchronize"));
    return wait && write && synchronize;
  }
};

// The calls of a session, taken out of a list and out of the collector's sight.
class Calls {
 public:
  explicit Calls(PyObject* list) {
    const std::ptrdiff_t count = PyList_Size(list);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      PyObject* call = PyList_GetItem(list, i);
      Py_IncRef(call);
      calls_.push_back(call);
      if (!PyObject_GC_IsTracked(call)) continue;
      PyObject_GC_UnTrack(call);
      untracked_.push_back(call);
    }
    PyList_SetSlice(list, 0, count, nullptr);
  }
  ~Calls() {
    for (PyObject* call : untracked_) PyObject_GC_Track(call);  // some types take it for granted when they go
    for (PyObject* call : calls_) Py_DecRef(call);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  unsigned count() const { return static_cast<unsigned>(calls_.size()); }

  bool make(unsigned number) {
    PyObject* result = PyObject_CallObject(calls_[number], nullptr);
    if (!result) return false;
    Py_DecRef(result);
    return true;
  }

 private:
  std::vector<PyObject*> calls_, untracked_;
};

// Thrown where a session ends before its host ends it.
struct Ended {
  int code;
};

class PythonDevice {
 public:
  PythonDevice(Calls& calls, const Queue& queue, std::uint64_t flags) : calls_(calls), queue_(queue),
  flags_(flags) {}

  void hold(std::uint64_t number) { require(flags_ ? queue_.wait(nullptr, flags_ + wire::kGoFlag, number, 0) : 1); }
  void call(unsigned set) {
    Python held(*this);
    if (!calls_.make(set)) throw Ended{kRaised};
  }
  void release(std::uint64_t number) {
    if (flags_) require(queue_.write(nullptr, flags_ + wire::kDoneFlag, number, 0));
  }
  void finish() {
    if (flags_) require(queue_.synchronize());
  }

  void leave_python() { state_ = PyEval_SaveThread(); }
  void enter_python() { PyEval_RestoreThread(state_); }

 private:
  // Other threads of the submission's may run while we wait, and not while it is called.
  struct Python {
    explicit Python(PythonDevice& device) : device(device) { device.enter_python(); }
    ~Python() { device.leave_python(); }
    PythonDevice& device;
  };

  static void require(int result) {
    if (result) throw Ended{result};
  }

  Calls& calls_;
  const Queue& queue_;
  std::uint64_t flags_;
  void* state_ = nullptr;
};

}  // namespace
}  // namespace warpcourt

// Serves one session over the page behind `descriptor`, with one call for each set in the list `calls`, which it
// empties. `flags` is the address of the flags, 0 without a GPU. Returns 0 at the end of the session, the driver's
// error, or -1 when a call raised an exception, which is then set.
extern "C" int warpcourt_serve(int descriptor, PyObject* calls, std::uint64_t flags) {
  using namespace warpcourt;
  void* page = mmap(nullptr, wire::kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) our_fault("the page of TIME cannot be mapped");
  Queue queue;
  if (flags && !queue.load()) our_fault("the NVIDIA driver is too old for timed sessions");
  Calls held(calls);
  PythonDevice device(held, queue, flags);
  int result = 0;
  device.leave_python();
  try {
    serve_orders(*static_cast<wire::Page*>(page), held.count(), device);
  } catch (const Ended& ended) {
    result = ended.code;
  }
  device.enter_python();
  munmap(page, wire::kPageBytes);
  return result;
}
