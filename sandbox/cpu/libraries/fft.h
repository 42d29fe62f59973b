// Discrete Fourier transforms of any length in double precision, without scaling.
#pragma once

#include <complex>
#include <memory>
#include <vector>

namespace warpcourt::cpu {

using Complex = std::complex<double>;

class Transform {
 public:
  // Of `n` elements, with exp(sign * 2 pi i j k / n): sign -1 is the forward transform.
  Transform(int n, int sign);

  int length() const { return n_; }
  // In place.
  void run(Complex* data) const;

 private:
  // The transform of the `n` elements at distance `stride`, of prime factors from number `factor` on.
  void split(const Complex* in, int stride, Complex* out, int n, std::size_t factor) const;
  void combine(Complex* out, int n, int radix, int stride) const;
  void convolve(Complex* data) const;

  int n_;
  std::vector<int> factors_;
  std::vector<Complex> roots_;  // exp(sign * 2 pi i k / n)
  // Lengths with a large prime factor are made from transforms of a power of two (Bluestein).
  std::vector<Complex> chirp_;
  std::vector<Complex> filter_;
  std::shared_ptr<const Transform> forward_, backward_;
};

}  // namespace warpcourt::cpu
