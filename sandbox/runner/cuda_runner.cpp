// The runner of compiled CUDA submissions: loads one artifact and calls its solve as the referee asks.
//
// Theory of operation. Descriptor 3 is a SOCK_SEQPACKET socket to the referee (sandbox/wire.py). We answer
// each request with its sequence number and nothing else. From LOAD on the submission's code shares this
// process, so nothing here can be trusted any more; the referee decides by the buffers alone. What we do
// owe it is never to claim success on our own account: every failure we notice ends the process with the
// status that names it.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "../cpu/runtime/abi.h"
#include "../cpu/runtime/diagnostics.h"
#include "../cpu/runtime/engine.h"
#include "../cpu/runtime/memory.h"
#include "../cpu/runtime/signals.h"
#include "wire.h"

namespace warpcourt {
namespace {

constexpr int kChannel = 3;
constexpr int kOurFault = 70;  // the referee broke the protocol, or it has gone
constexpr std::size_t kMaxDescriptors = wire::kMaxArguments + 4;
constexpr u_int64_t kReservedMib = 128;  // for the process itself

using Call = void (*)(void* const* arguments);

struct Submission {
  Call call = nullptr;
  const char* const* argument_names = nullptr;
};

struct Message {
  wire::Request request;
  std::vector<int> descriptors;
};

[[noreturn]] void protocol_error(const char* what) {
  std::fprintf(stderr, "cuda_runner: %s\n", what);
  std::exit(kOurFault);
}

[[noreturn]] void load_error(const std::string& what) {
  cpu::fail({cpu::Severity::kError, "load", what, {}}, wire::kLoadError);
}

Message receive() {
  Message message;
  char control[CMSG_SPACE(sizeof(int) * kMaxDescriptors)];
  iovec data = {&message.request, sizeof message.request};
  msghdr header = {};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(kChannel, &header, MSG_CMSG_CLOEXEC);
  if (size == 0) std::exit(0);
  if (size != sizeof message.request || message.request.magic != wire::kMagic) protocol_error("not a request");
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    message.descriptors.resize(count);
    std::memcpy(message.descriptors.data(), CMSG_DATA(part), count * sizeof(int));
  }
  if (message.request.argument_count > wire::kMaxArguments) protocol_error("too many arguments");
  return message;
}

void reply(std::uint64_t sequence) {
  if (send(kChannel, &sequence, sizeof sequence, MSG_NOSIGNAL) != sizeof sequence) std::exit(kOurFault);
}

// A symbol of the artifact, which must define it.
template <class T>
T symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) load_error(std::string("the artifact does not define ") + name);
  return reinterpret_cast<T>(found);
}

Submission load(const Message& message) {
  if (message.descriptors.size() != 2) protocol_error("LOAD needs a diagnostics pipe and an artifact");
  cpu::set_diagnostics_descriptor(message.descriptors[0]);
  const std::string path = "/proc/self/fd/" + std::to_string(message.descriptors[1]);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    load_error(std::string("the program does not load: ") + (reason ? reason : "unknown reason"));
  }
  cpu::attach_module(*symbol<const cpu::Module*>(library, "warpcourt_module"));
  close(message.descriptors[1]);
  return {symbol<Call>(library, "warpcourt_call"), symbol<const char* const*>(library, "warpcourt_argument_names")};
}

// Bytes of an element by dtype code (sandbox/wire.py, DTYPE_CODES).
unsigned element_bytes(unsigned dtype) {
  constexpr unsigned sizes[] = {0, 8, 4, 2, 2, 8, 4, 1, 4, 1, 1};
  return dtype < std::size(sizes) ? sizes[dtype] : 0;
}

// What warpcourt_call gets for each argument: the device pointer, or the address of the scalar.
std::vector<void*> bind_arguments(Message& message, const Submission& submission) {
  std::vector<void*> arguments;
  for (unsigned i = 0; i < message.request.argument_count; ++i) {
    wire::Argument& argument = message.request.arguments[i];
    if (argument.scalar) {
      arguments.push_back(&argument.value);
      continue;
    }
    if (argument.descriptor >= message.descriptors.size()) protocol_error("an argument names no descriptor");
    void* memory = cpu::map_argument(message.descriptors[argument.descriptor], argument.offset, argument.bytes,
                                     element_bytes(argument.dtype), submission.argument_names[i]);
    if (!memory) cpu::fail({cpu::Severity::kError, "memory", "an argument cannot be mapped", {}}, wire::kMemoryLimit);
    arguments.push_back(memory);
  }
  for (int descriptor : message.descriptors) close(descriptor);
  return arguments;
}

void call_guarded(const Submission& submission, void* const* arguments) {
  std::string what = "an exception";
  try {
    submission.call(arguments);
    return;
  } catch (const std::exception& exception) {
    what = std::string("an exception: ") + exception.what();
  } catch (...) {
  }
  cpu::fail({cpu::Severity::kError, "exception", "solve() threw " + what, {}}, wire::kRuntimeError);
}

void run(Message& message, const Submission& submission) {
  const std::uint32_t flags = message.request.flags;
  const std::vector<void*> arguments = bind_arguments(message, submission);
  cpu::begin_call({.deterministic = (flags & wire::kDeterministic) != 0,
                   .races = (flags & wire::kRaces) != 0,
                   .reversed = (flags & wire::kReversed) != 0},
                  message.request.time_limit_ms);
  call_guarded(submission, arguments.data());
  cpu::finish_call();
  cpu::unmap_arguments();
}

}  // namespace
}  // namespace warpcourt

// cuda_runner [--memory-mib N]: N bounds the sandbox, and so the memory of the device.
int main(int argc, char** argv) {
  using namespace warpcourt;
  if (argc == 3 && std::strcmp(argv[1], "--memory-mib") == 0) {
    const std::uint64_t mib = std::strtoull(argv[2], nullptr, 10);
    if (mib > 2 * kReservedMib) cpu::engine().device_bytes = (mib - kReservedMib) << 20;
  }
  cpu::install_signal_handlers();
  reply(0);
  Submission submission;
  for (;;) {
    Message message = receive();
    switch (message.request.kind) {
      case wire::Kind::kLoad:
        if (submission.call) protocol_error("a second LOAD");
        submission = load(message);
        break;
      case wire::Kind::kRun:
        if (!submission.call) protocol_error("RUN before LOAD");
        run(message, submission);
        break;
      case wire::Kind::kQuit: std::exit(0);
      default: protocol_error("an unknown request");
    }
    reply(message.request.sequence);
  }
}
