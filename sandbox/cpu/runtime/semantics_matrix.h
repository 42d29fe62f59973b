// Matrix operations of a warp. Source: PTX ISA 9.7.14.
//
// Each lane hands its registers to wc_warp_combine; the last to arrive gathers whole matrices from all
// fragments, computes, and scatters the result. Lanes that are not in the warp leave zeros.
#pragma once

#include "semantics_half.h"

namespace warpcourt::cpu {

constexpr u32 kLanes = 32;

template <bool kFirst, class First, class Second>
struct Selected { using type = Second; };
template <class First, class Second>
struct Selected<true, First, Second> { using type = First; };
template <bool kFirst, class First, class Second>
using Select = typename Selected<kFirst, First, Second>::type;

// One lane's fragments, as arrays of registers.
struct MatrixSlot {
  const void* a;
  const void* b;
  const void* c;
  void* d;
};

// ---- elements in registers ------------------------------------------------------------------------------------

template <class H>
struct ElementHalf {
  using Value = float;
  static constexpr int kPerRegister = 2;
  static float get(const void* fragment, int i) { return H::decode(static_cast<const u16*>(fragment)[i]); }
  static void set(void* fragment, int i, float value) { static_cast<u16*>(fragment)[i] = H::encode(value); }
};
struct ElementFloat {
  using Value = float;
  static constexpr int kPerRegister = 1;
  static float get(const void* fragment, int i) { return static_cast<const float*>(fragment)[i]; }
  static void set(void* fragment, int i, float value) { static_cast<float*>(fragment)[i] = value; }
};
// The hardware drops the 13 low bits of the mantissa.
struct ElementTf32 {
  using Value = float;
  static constexpr int kPerRegister = 1;
  static float get(const void* fragment, int i) {
    return bits<float>(static_cast<const u32*>(fragment)[i] & 0xffffe000u);
  }
};
struct ElementDouble {
  using Value = double;
  static constexpr int kPerRegister = 1;
  static double get(const void* fragment, int i) { return static_cast<const double*>(fragment)[i]; }
  static void set(void* fragment, int i, double value) { static_cast<double*>(fragment)[i] = value; }
};
template <class T, int kBits>
struct ElementSmall {
  using Value = s32;
  static constexpr int kPerRegister = 32 / kBits;
  static s32 get(const void* fragment, int i) {
    const u32 word = static_cast<const u32*>(fragment)[i / kPerRegister] >> kBits * (i % kPerRegister);
    return kBits == 8 ? s32(T(word)) : kSigned<T> ? s32(word << 28) >> 28 : s32(word & 15);
  }
};
struct ElementBit {
  using Value = s32;
  static constexpr int kPerRegister = 32;
  static s32 get(const void* fragment, int i) { return static_cast<const u32*>(fragment)[i / 32] >> i % 32 & 1; }
};
struct ElementInt {
  using Value = s32;
  static constexpr int kPerRegister = 1;
  static s32 get(const void* fragment, int i) { return static_cast<const s32*>(fragment)[i]; }
  static void set(void* fragment, int i, s32 value) { static_cast<s32*>(fragment)[i] = value; }
};

// ---- which element lies where ---------------------------------------------------------------------------------

struct Position {
  int row, column;
};

// mma: the layouts drawn in 9.7.14, one rule for all shapes. `n` is the elements per register.
struct Documented {
  static Position a(int rows, int, int n, int lane, int i) {
    const int reg = i / n, group = lane >> 2, within = (lane & 3) * n + i % n;
    if (rows == 8) return {group, within + reg * 4 * n};
    return {group + 8 * (reg & 1), within + (reg >> 1) * 4 * n};
  }
  static Position b(int, int, int n, int lane, int i) {
    return {(lane & 3) * n + i % n + i / n * 4 * n, lane >> 2};
  }
  static Position c(int, int, int lane, int i) { return {(lane >> 2) + 8 * (i >> 1), (lane & 3) * 2 + (i & 1)}; }
};
// wmma: the layout is unspecified; element i of lane l is the (32 i + l)-th in row order.
struct Scattered {
  static Position at(int columns, int lane, int i) {
    const int index = i * int(kLanes) + lane;
    return {index / columns, index % columns};
  }
  static Position a(int, int columns, int, int lane, int i) { return at(columns, lane, i); }
  static Position b(int, int columns, int, int lane, int i) { return at(columns, lane, i); }
  static Position c(int, int columns, int lane, int i) { return at(columns, lane, i); }
};

struct Product {
  template <class T>
  WC_INLINE_MEMBER static T apply(T a, T b) { return a * b; }
};
struct BitXor {
  WC_INLINE_MEMBER static s32 apply(s32 a, s32 b) { return a ^ b; }
};
struct BitAnd {
  WC_INLINE_MEMBER static s32 apply(s32 a, s32 b) { return a & b; }
};

// D = A·B + C. Integers wrap, or clamp with .satfinite.
template <class Layout, int M, int N, int K, class Operation, bool kFinite, class EA, class EB, class EC, class ED>
void multiply_matrices(void** slots, u32) {
  using Value = typename EA::Value;
  using Sum = Select<kFinite && sizeof(Value) == 4 && Value(1) / 2 == 0, s64, Value>;
  static thread_local Value a[M][K], b[K][N];
  static thread_local Sum c[M][N];
  __builtin_memset(a, 0, sizeof a);
  __builtin_memset(b, 0, sizeof b);
  __builtin_memset(c, 0, sizeof c);
  constexpr int kLaneCount = int(kLanes);
  for (int lane = 0; lane < kLaneCount; ++lane) {
    const auto* slot = static_cast<const MatrixSlot*>(slots[lane]);
    if (!slot) continue;
    for (int i = 0; i < M * K / kLaneCount; ++i) {
      const Position at = Layout::a(M, K, EA::kPerRegister, lane, i);
      a[at.row][at.column] = EA::get(slot->a, i);
    }
    for (int i = 0; i < K * N / kLaneCount; ++i) {
      const Position at = Layout::b(K, N, EB::kPerRegister, lane, i);
      b[at.row][at.column] = EB::get(slot->b, i);
    }
    for (int i = 0; i < M * N / kLaneCount; ++i) {
      const Position at = Layout::c(M, N, lane, i);
      c[at.row][at.column] = EC::get(slot->c, i);
    }
  }
  for (int row = 0; row < M; ++row)
    for (int k = 0; k < K; ++k) {
      const Value factor = a[row][k];
      for (int column = 0; column < N; ++column) c[row][column] += Operation::apply(factor, b[k][column]);
    }
  for (int lane = 0; lane < kLaneCount; ++lane) {
    auto* slot = static_cast<MatrixSlot*>(slots[lane]);
    if (!slot) continue;
    for (int i = 0; i < M * N / kLaneCount; ++i) {
      const Position at = Layout::c(M, N, lane, i);
      if constexpr (sizeof(Sum) > sizeof(Value)) {
        ED::set(slot->d, i, saturate_s32(c[at.row][at.column]));
      } else {
        ED::set(slot->d, i, typename ED::Value(c[at.row][at.column]));
      }
    }
  }
}

// ---- wmma.load and wmma.store ---------------------------------------------------------------------------------

enum class Space { kShared, kGlobal, kGeneric };

template <Space kSpace, u32 kBytes, Access kAccess>
WC_INLINE u64 checked(const Frame& frame, u32 site, u64 address, u32 location) {
  if constexpr (kSpace == Space::kShared) return shared<kBytes, kAccess>(frame, address, location);
  if constexpr (kSpace == Space::kGlobal) return global<kBytes, kAccess>(frame, site, address, location);
  return generic<kBytes, kAccess>(frame, site, address, location);
}

// Each row, or each column in column order, must start at a multiple of the bytes that a thread holds, but of no more
// than 16: GPUs accept a first element that lies at 16 bytes, although the guide demands 32. Ends the program if not.
// Sources: PTX ISA 9.7.14, "wmma.load"; CUDA C++ Programming Guide, "Warp Matrix Functions".
template <Space kSpace, u32 kBytes, int kElements, Access kAccess>
WC_INLINE void check_alignment(const Frame& frame, u32 site, u64 base, u32 stride, u32 location) {
  constexpr u32 kHeld = kElements * kBytes / kLanes, kUnit = kHeld < 16 ? kHeld : 16;
  if (stride * kBytes % kUnit) wc_bad_leading_dimension(frame.thread, stride, kBytes, kUnit, location);
  if (base % kUnit) checked<kSpace, kUnit, kAccess>(frame, site, base, location);
}

template <Space kSpace, u32 kBytes, int kRows, int kColumns, bool kRowMajor>
void load_fragment(const Frame& frame, u32 site, void* fragment, u32 fragment_bytes, u64 base, u32 stride,
                   u32 location) {
  wc_warp(frame.thread, WarpOp::kSync, ~0u, 0, location);
  check_alignment<kSpace, kBytes, kRows * kColumns, Access::kRead>(frame, site, base, stride, location);
  const int lane = int(frame.thread->index % kLanes);
  for (int i = 0; i < kRows * kColumns / int(kLanes) && (i + 1) * kBytes <= fragment_bytes; ++i) {
    const Position at = Scattered::at(kColumns, lane, i);
    const u64 element = kRowMajor ? u64(at.row) * stride + at.column : u64(at.column) * stride + at.row;
    const u64 from = checked<kSpace, kBytes, Access::kRead>(frame, site, base + element * kBytes, location);
    __builtin_memcpy(static_cast<u8*>(fragment) + i * kBytes, reinterpret_cast<const void*>(from), kBytes);
  }
}
template <Space kSpace, u32 kBytes, int kRows, int kColumns, bool kRowMajor>
void store_fragment(const Frame& frame, u32 site, const void* fragment, u64 base, u32 stride, u32 location) {
  check_alignment<kSpace, kBytes, kRows * kColumns, Access::kWrite>(frame, site, base, stride, location);
  const int lane = int(frame.thread->index % kLanes);
  for (int i = 0; i < kRows * kColumns / int(kLanes); ++i) {
    const Position at = Scattered::at(kColumns, lane, i);
    const u64 element = kRowMajor ? u64(at.row) * stride + at.column : u64(at.column) * stride + at.row;
    const u64 to = checked<kSpace, kBytes, Access::kWrite>(frame, site, base + element * kBytes, location);
    __builtin_memcpy(reinterpret_cast<void*>(to), static_cast<const u8*>(fragment) + i * kBytes, kBytes);
  }
  wc_warp(frame.thread, WarpOp::kSync, ~0u, 0, location);
}

// ---- ldmatrix, stmatrix, movmatrix: 8×8 matrices of 16-bit elements -------------------------------------------

struct RowSlot {
  u64 row;  // host address of the row that this lane names
  u32* registers;
};

// Lane l holds row l/4, columns 2(l%4) and 2(l%4)+1 of each matrix; transposed, the same of its transpose.
template <int kCount, bool kTransposed, bool kLoad>
void exchange_rows(void** slots, u32) {
  for (u32 lane = 0; lane < kLanes; ++lane) {
    auto* slot = static_cast<RowSlot*>(slots[lane]);
    if (!slot) continue;
    for (int matrix = 0; matrix < kCount; ++matrix)
      for (u32 half = 0; half < 2; ++half) {
        const u32 row = kTransposed ? lane % 4 * 2 + half : lane / 4;
        const u32 column = kTransposed ? lane / 4 : lane % 4 * 2 + half;
        const auto* owner = static_cast<const RowSlot*>(slots[matrix * 8 + row]);
        if (!owner || !owner->row) continue;
        auto* element = reinterpret_cast<u16*>(owner->row) + column;
        auto* kept = reinterpret_cast<u16*>(&slot->registers[matrix]) + half;
        if (kLoad) *kept = *element; else *element = *kept;
      }
  }
}
template <int kCount, bool kTransposed>
void load_matrices(const Frame& frame, u64 offset, u32* registers, u32 location) {
  const bool names_row = frame.thread->index % kLanes < 8 * kCount;
  for (int i = 0; i < kCount; ++i) registers[i] = 0;
  RowSlot slot{names_row ? shared<16, Access::kRead>(frame, offset, location) : 0, registers};
  wc_warp_combine(frame.thread, ~0u, &slot, exchange_rows<kCount, kTransposed, true>, location);
}
template <int kCount, bool kTransposed>
void store_matrices(const Frame& frame, u64 offset, u32* registers, u32 location) {
  const bool names_row = frame.thread->index % kLanes < 8 * kCount;
  RowSlot slot{names_row ? shared<16, Access::kWrite>(frame, offset, location) : 0, registers};
  wc_warp_combine(frame.thread, ~0u, &slot, exchange_rows<kCount, kTransposed, false>, location);
}

inline void transpose_registers(void** slots, u32) {
  u16 matrix[8][8] = {};
  for (u32 lane = 0; lane < kLanes; ++lane)
    if (slots[lane]) __builtin_memcpy(&matrix[lane / 4][lane % 4 * 2], slots[lane], 4);
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const u32 column = lane / 4, row = lane % 4 * 2;
    if (slots[lane]) *static_cast<u32*>(slots[lane]) = u32(matrix[row + 1][column]) << 16 | matrix[row][column];
  }
}
inline u32 transpose_matrix(Thread* thread, u32 value, u32 location) {
  wc_warp_combine(thread, ~0u, &value, transpose_registers, location);
  return value;
}

}  // namespace warpcourt::cpu
