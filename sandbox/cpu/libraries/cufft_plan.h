// A plan of cuFFT: how elements lie in memory, and the transform itself.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "../runtime/library_work.h"
#include "fft.h"
#include "include/cufft.h"

namespace warpcourt::cpu {

constexpr int kMaxRank = 3;

// Where the elements of one side lie, in elements. Unused dimensions come first and have one element.
struct Layout {
  std::array<long long, kMaxRank> length{};
  std::array<long long, kMaxRank> stride{};
  long long distance = 0;  // of two transforms

  long long at(long long i, long long j) const { return i * stride[0] + j * stride[1]; }
};

struct Plan {
  int rank = 0;
  std::array<int, kMaxRank> n{1, 1, 1};
  cufftType type = CUFFT_C2C;
  int batch = 0;
  // What the caller said about each side; without, elements lie one after the other.
  bool told = false;
  Layout told_input, told_output;
  cudaStream_t stream = nullptr;

  bool made() const { return batch > 0; }
  // The sides of a transform. In place, rows of real elements have room for the complex ones.
  Layout input(bool in_place) const { return told ? told_input : packed(is_real_input(), in_place); }
  Layout output(bool in_place) const { return told ? told_output : packed(is_real_output(), in_place); }
  bool is_real_input() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  bool is_real_output() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  // Elements of the last dimension on the side of the complex elements.
  long long half() const { return n[2] / 2 + 1; }
  Layout packed(bool real, bool in_place) const;
  Layout embedded(bool real, const int* embedding, int element_stride, int distance) const;
  long long last(bool real) const { return real || (!is_real_input() && !is_real_output()) ? n[2] : half(); }
};

// All of the transforms of a plan. Elements are float or double, real or pairs.
void execute(const char* call, const Plan& plan, const void* input, void* output, int sign);

}  // namespace warpcourt::cpu
