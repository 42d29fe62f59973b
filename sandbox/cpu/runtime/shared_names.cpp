// Says which shared array holds a byte of a block's shared memory. See shared_names.h.
#include "shared_names.h"

#include <algorithm>

#include "block.h"
#include "launch.h"

namespace warpcourt::cpu {
namespace {

// The array that holds `offset`. Nothing but the array's end bounds the only array of a kernel.
const SharedArray* array_at(const ThreadRecord& thread, u32 offset, u32& size) {
  const Kernel& kernel = *thread.block->launch->kernel;
  for (u32 i = 0; i < kernel.shared_array_count; ++i) {
    const SharedArray& array = kernel.shared_arrays[i];
    if (array.dynamic && !thread.dynamic_bytes) continue;
    const u32 start = array.dynamic ? thread.dynamic_offset : array.offset;
    size = array.dynamic ? thread.dynamic_bytes : array.bytes;
    if (offset >= start && (offset - start < size || kernel.shared_array_count == 1)) return &array;
  }
  return nullptr;
}

std::string text_of(const SharedArray& array, u32 size, s64 from, u32 bytes) {
  const std::string name = " of shared array " + std::string(array.name);
  if (bytes < 2 || from % bytes || size % bytes) return "byte " + std::to_string(from) + name;
  return "element " + std::to_string(from / bytes) + " of " + std::to_string(size / bytes) + " (of " +
         std::to_string(bytes) + " bytes each)" + name;
}

std::string byte_text(u32 offset) { return "byte " + std::to_string(static_cast<s32>(offset)) + " of shared memory"; }

}  // namespace

std::string shared_text(const ThreadRecord& thread, u32 offset, u32 bytes) {
  u32 size = 0;
  const SharedArray* array = static_cast<s32>(offset) < 0 ? nullptr : array_at(thread, offset, size);
  if (!array) return byte_text(offset);
  return text_of(*array, size, s64{offset} - (array->dynamic ? thread.dynamic_offset : array->offset), bytes);
}

std::string shared_text_from(const ThreadRecord& thread, u32 start, u32 offset, u32 bytes) {
  const Kernel& kernel = *thread.block->launch->kernel;
  for (u32 i = 0; i < kernel.shared_array_count; ++i) {
    const SharedArray& array = kernel.shared_arrays[i];
    if (!array.dynamic && array.offset == start) return text_of(array, array.bytes, s64{offset} - start, bytes);
  }
  return byte_text(offset);
}

bool may_have_dynamic_array(const ThreadRecord& thread) {
  const Kernel& kernel = *thread.block->launch->kernel;
  const auto* end = kernel.shared_arrays + kernel.shared_array_count;
  const auto dynamic = [](const SharedArray& array) { return array.dynamic; };
  return !kernel.shared_array_count || std::any_of(kernel.shared_arrays, end, dynamic);
}

}  // namespace warpcourt::cpu
