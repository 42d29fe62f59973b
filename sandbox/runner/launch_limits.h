// Why a launch was refused, in words that say what to do. Functional mode and GPUs say the same.
#pragma once

#include <cstdint>
#include <string>

namespace warpcourt {

inline constexpr char kFewerRegisters[] =
    "Use smaller blocks, or __launch_bounds__(threads) so that the compiler uses fewer registers.";

struct LaunchLimits {
  std::uint64_t threads;  // of a block
  std::uint64_t block[3];
  std::uint64_t grid[3];
};

template <class Size>
std::string text_of_size(const Size& size) {
  return '(' + std::to_string(size[0]) + ',' + std::to_string(size[1]) + ',' + std::to_string(size[2]) + ')';
}

// The limit that the launch of kernel `name` exceeds, or "".
template <class Size>
std::string launch_objection(const std::string& name, const Size& grid, const Size& block, const LaunchLimits& limits) {
  const std::string launched = "kernel " + name + " was launched with ";
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (threads == 0 || !grid[0] || !grid[1] || !grid[2]) {
    return launched + "grid " + text_of_size(grid) + " and block " + text_of_size(block) +
           ": no dimension may be 0. Is a size 0, or a division rounded down? Use (n + threads - 1) / threads.";
  }
  if (threads > limits.threads) {
    return launched + std::to_string(threads) + " threads per block " + text_of_size(block) + "; the limit is " +
           std::to_string(limits.threads) + ". Use more blocks.";
  }
  for (int i = 0; i < 3; ++i) {
    if (block[i] > limits.block[i]) {
      return launched + "block " + text_of_size(block) + "; the " + "xyz"[i] + " dimension is at most " +
             std::to_string(limits.block[i]) + '.';
    }
  }
  if (grid[0] > limits.grid[0] || grid[1] > limits.grid[1] || grid[2] > limits.grid[2]) {
    return launched + "grid " + text_of_size(grid) + "; the limits are " + std::to_string(limits.grid[0]) +
           " in x and " + std::to_string(limits.grid[1]) + " in y and z. Put the largest dimension in x.";
  }
  return "";
}

}  // namespace warpcourt
