// printf in device code: formats as the host does, one call at a time, into the process's stdout.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "memory.h"
#include "scheduler.h"

namespace warpcourt::cpu {
namespace {

constexpr std::size_t kMaxField = 1024;
constexpr const char* kConversions = "diouxXcsfFeEgGaAp%";

// Arguments as vprintf gets them: in order, each aligned to its size.
class Arguments {
 public:
  explicit Arguments(u64 address) : at_(address) {}

  template <class T>
  T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(at_), sizeof value);
    at_ += sizeof(T);
    return value;
  }

 private:
  u64 at_;
};

template <class T>
std::string formatted(const std::string& specification, T value) {
  char field[kMaxField];
  const int length = std::snprintf(field, sizeof field, specification.c_str(), value);
  return {field, std::min<std::size_t>(length < 0 ? 0 : static_cast<std::size_t>(length), sizeof field - 1)};
}

std::string text_argument(const std::string& specification, u64 address) {
  Range range;
  if (!find_range(address, 1, range)) return "(bad string)";
  const u64 limit = std::min<u64>(kMaxField, range.base + range.bytes - address);
  const char* start = reinterpret_cast<const char*>(address);
  return formatted(specification, std::string(start, strnlen(start, limit)).c_str());
}

// One conversion. `specification` goes from '%' to the conversion letter.
std::string convert(std::string specification, Arguments& arguments) {
  const char letter = specification.back();
  const bool wide = specification.find('l') != std::string::npos || specification.find('z') != std::string::npos ||
                    specification.find('j') != std::string::npos || specification.find('t') != std::string::npos;
  if (letter == '%') return "%";
  for (std::size_t star; (star = specification.find('*')) != std::string::npos;) {
    specification.replace(star, 1, std::to_string(arguments.next<s32>()));
  }
  if (std::strchr("fFeEgGaA", letter)) return formatted(specification, arguments.next<double>());
  if (letter == 's') return text_argument(specification, arguments.next<u64>());
  if (letter == 'p') return formatted(specification, arguments.next<void*>());
  if (wide) return formatted(specification, arguments.next<u64>());
  return formatted(specification, arguments.next<u32>());
}

}  // namespace

extern "C" void wc_printf(Thread*, u64 format, u64 values, u8* result, u32) {
  Arguments arguments(values);
  std::string out;
  for (const char* at = reinterpret_cast<const char*>(format); *at;) {
    const std::size_t plain = std::strcspn(at, "%");
    out.append(at, plain);
    at += plain;
    if (!*at) break;
    const std::size_t length = 1 + std::strcspn(at + 1, kConversions) + 1;
    if (std::strlen(at) < length) break;
    out += convert(std::string(at, length), arguments);
    at += length;
  }
  static std::mutex printing;
  std::lock_guard lock(printing);
  std::fwrite(out.data(), 1, out.size(), stdout);
  const s32 converted = static_cast<s32>(out.size());
  if (result) std::memcpy(result, &converted, sizeof converted);
}

}  // namespace warpcourt::cpu
