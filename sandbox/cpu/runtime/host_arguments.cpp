// Maps arguments in host memory. See host_arguments.h.
#include "host_arguments.h"

#include <mutex>
#include <shared_mutex>
#include <vector>

#include "../../runner/host_mapping.h"
#include "operations.h"

namespace warpcourt::cpu {
namespace {

struct HostArgument {
  Allocation allocation;
  HostMapping mapping;
};

struct HostArguments {
  std::shared_mutex mutex;
  std::vector<HostArgument> all;
};

HostArguments& arguments() {
  static auto* instance = new HostArguments;
  return *instance;
}

template <class Holds>
std::optional<Allocation> first(Holds holds) {
  std::shared_lock lock(arguments().mutex);
  for (const HostArgument& argument : arguments().all) {
    if (holds(argument)) return argument.allocation;
  }
  return std::nullopt;
}

}  // namespace

void* map_host_argument(int descriptor, u64 offset, Allocation argument) {
  const HostMapping mapping = map_on_host(descriptor, offset, argument.bytes);
  if (!mapping.payload) return nullptr;
  argument.base = reinterpret_cast<u64>(mapping.payload);
  argument.argument = true;
  if (argument.kind == MemoryKind::kPinned) {
    register_memory(argument);
    operations().watch();
  }
  std::unique_lock lock(arguments().mutex);
  arguments().all.push_back({std::move(argument), mapping});
  return mapping.payload;
}

void unmap_host_arguments() {
  std::unique_lock lock(arguments().mutex);
  for (const HostArgument& argument : arguments().all) unmap_on_host(argument.mapping);
  arguments().all.clear();
}

std::optional<Allocation> pageable_argument(u64 address) {
  return first([address](const HostArgument& argument) {
    return argument.allocation.kind == MemoryKind::kPageable && argument.allocation.contains(address, 0);
  });
}

std::optional<Allocation> host_argument_near(u64 address) {
  return first([address](const HostArgument& argument) { return argument.mapping.is_near(address); });
}

}  // namespace warpcourt::cpu
