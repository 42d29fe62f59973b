// Names products that tensor cores could compute. See tensor_cores.h.
#include "tensor_cores.h"

#include <algorithm>

#include "block.h"
#include "counters.h"
#include "diagnostics.h"
#include "executed.h"
#include "memory.h"

namespace warpcourt::cpu {
namespace {

constexpr u64 kLeastProducts = u64{1} << 15;
constexpr u64 kLeastProductsPerByte = 4;
constexpr u64 kLeastBytes = 4 << 10;  // of arguments: with less, most products may be of zeros that pad a tile

// The instructions of translator/narrow_products.py, and the products that a lane makes with each.
struct Kind {
  const char* name;
  u64 products;
};
constexpr Kind kKinds[] = {{"narrow_products", 1}, {"narrow_pairs", 2}, {"narrow_quads", 4}};

}  // namespace

void report_unused_tensor_cores() {
  Executed::ByLocation products;
  u64 total = 0;
  for (const Kind& kind : kKinds) {
    for (const auto& [location, by_warps] : executed().of(kind.name)) {
      const u64 made = by_warps * kWarpLanes * kind.products;
      products[location] += made;
      total += made;
    }
  }
  const u64 bytes = argument_bytes();
  if (total < kLeastProducts || bytes < kLeastBytes || total < kLeastProductsPerByte * bytes) return;
  const auto most = std::max_element(products.begin(), products.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  const std::string& kernel = executed().kernel_of(most->first);
  note_line("tensor_cores", kernel, most->first,
            "In kernel " + kernel + ", this line makes " + std::to_string(most->second) +
                " products of numbers with 8 or 16 bits, " + rounded(average(total, bytes)) +
                " for each byte of the arrays, and no tensor core computes them. An mma instruction makes 4096 " +
                "products of halves at once.");
}

}  // namespace warpcourt::cpu
