// Directed rounding of float arithmetic, by the processor's own rounding mode. Source: PTX ISA 9.7.3.
#pragma once

#include <cfenv>

#include "semantics.h"

namespace warpcourt::cpu {

enum class Rounding : int { rn = FE_TONEAREST, rz = FE_TOWARDZERO, rm = FE_DOWNWARD, rp = FE_UPWARD };

struct Add {
  template <class F>
  F operator()(F a, F b) const { return a + b; }
};
struct Subtract {
  template <class F>
  F operator()(F a, F b) const { return a - b; }
};
struct Multiply {
  template <class F>
  F operator()(F a, F b) const { return a * b; }
};
struct Divide {
  template <class F>
  F operator()(F a, F b) const { return a / b; }
};
struct Fused {
  template <class F>
  F operator()(F a, F b, F c) const { return fused(a, b, c); }
};
struct Reciprocal {
  template <class F>
  F operator()(F a) const { return F(1) / a; }
};
struct SquareRoot {
  template <class F>
  F operator()(F a) const { return square_root(a); }
};
template <class F>
struct Convert {
  template <class From>
  F operator()(From a) const { return F(a); }
};

// The compiler knows nothing of rounding modes; volatile keeps the arithmetic between the two calls.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode) : previous_(std::fegetround()) { std::fesetround(int(mode)); }
  ~RoundingScope() { std::fesetround(previous_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int previous_;
};

template <class Operation, class F>
[[gnu::noinline]] auto rounded(Rounding mode, F a) {
  const RoundingScope scope(mode);
  volatile F x = a;
  volatile auto result = Operation()(F(x));
  return decltype(Operation()(a))(result);
}
template <class Operation, class F>
[[gnu::noinline]] F rounded(Rounding mode, F a, F b) {
  const RoundingScope scope(mode);
  volatile F x = a, y = b;
  volatile F result = Operation()(F(x), F(y));
  return result;
}
template <class Operation, class F>
[[gnu::noinline]] F rounded(Rounding mode, F a, F b, F c) {
  const RoundingScope scope(mode);
  volatile F x = a, y = b, z = c;
  volatile F result = Operation()(F(x), F(y), F(z));
  return result;
}

}  // namespace warpcourt::cpu
