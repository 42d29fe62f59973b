// What a runner needs of a compiled submission: loads it, binds arguments for it, calls it.
#pragma once

#include <dlfcn.h>

#include <exception>
#include <iterator>
#include <string>
#include <vector>

#include "../cpu/runtime/diagnostics.h"
#include "channel.h"
#include "wire.h"

namespace warpcourt {

using Arguments = std::vector<void*>;  // of warpcourt_call: the pointer to an array, the address of a scalar

struct Submission {
  using Call = void(void* const* arguments);

  void* library = nullptr;
  Call* call = nullptr;
  const char* const* argument_names = nullptr;
};

[[noreturn]] inline void load_error(const std::string& what) {
  cpu::fail({cpu::Severity::kError, "load", what, {}}, wire::kLoadError);
}

// A symbol of the artifact, which must define it.
template <class T>
T* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) load_error(std::string("the artifact does not define ") + name);
  return reinterpret_cast<T*>(found);
}

// Where findings go from now on. To be said before anything foreign is loaded.
inline void open_diagnostics(const Message& message) {
  if (message.descriptors.size() != 2) our_fault("LOAD needs a diagnostics pipe and an artifact");
  cpu::set_diagnostics_descriptor(message.descriptors[0]);
}

inline Submission load_submission(const Message& message) {
  const std::string path = "/proc/self/fd/" + std::to_string(message.descriptors[1]);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    load_error(std::string("the program could not be loaded: ") + (reason ? reason : "unknown reason"));
  }
  close(message.descriptors[1]);
  return {library, symbol<Submission::Call>(library, "warpcourt_call"),
          symbol<const char* const>(library, "warpcourt_argument_names")};
}

// Bytes of an element by dtype code (sandbox/wire.py, DTYPE_CODES).
inline unsigned element_bytes(unsigned dtype) {
  constexpr unsigned sizes[] = {0, 8, 4, 2, 2, 8, 4, 1, 4, 1, 1};
  return dtype < std::size(sizes) ? sizes[dtype] : 0;
}

// The arguments of a call, whose arrays' descriptors are counted from number `first` of the message. Scalars
// stay in the message, which must live on. `map(descriptor, argument, name)` yields an array's address; the
// name is null where there is no submission yet.
template <class Map>
Arguments bind_arguments(Message& message, std::size_t first, const Submission& submission, Map map) {
  Arguments arguments;
  for (unsigned i = 0; i < message.request.argument_count; ++i) {
    wire::Argument& argument = message.request.arguments[i];
    if (argument.scalar) {
      arguments.push_back(&argument.value);
      continue;
    }
    const std::size_t number = first + argument.descriptor;
    if (number >= message.descriptors.size()) our_fault("an argument names no descriptor");
    const char* name = submission.argument_names ? submission.argument_names[i] : nullptr;
    arguments.push_back(map(message.descriptors[number], argument, name));
  }
  return arguments;
}

// Calls solve. An exception ends in `fail(what)`, which must not return.
template <class Fail>
void call_guarded(const Submission& submission, const Arguments& arguments, Fail fail) {
  std::string what = "an exception";
  try {
    submission.call(arguments.data());
    return;
  } catch (const std::exception& exception) {
    what = std::string("an exception: ") + exception.what();
  } catch (...) {
  }
  fail("solve() threw " + what);
}

}  // namespace warpcourt
