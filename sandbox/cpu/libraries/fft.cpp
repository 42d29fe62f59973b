// Cooley and Tukey's algorithm for any factors, and Bluestein's where a prime factor is large.
// Source: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, sections 2.1 and 4.2.
#include "fft.h"

#include <cmath>
#include <numbers>

namespace warpcourt::cpu {
namespace {

constexpr int kMaxPrime = 61;

std::vector<int> factors_of(int n) {
  std::vector<int> found;
  for (int factor = 4; n > 1;) {
    while (n % factor == 0) {
      found.push_back(factor);
      n /= factor;
    }
    factor = factor == 4 ? 2 : factor == 2 ? 3 : factor + 2;
    if (static_cast<long long>(factor) * factor > n && n > 1 && factor > 2) {
      found.push_back(n);
      n = 1;
    }
  }
  return found;
}

// exp(2 pi i numerator / denominator), with the angle reduced before it is rounded.
Complex root(long long numerator, long long denominator) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
  return {std::cos(angle), std::sin(angle)};
}

Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

Transform::Transform(int n, int sign) : n_(n), factors_(factors_of(n)) {
  if (!factors_.empty() && factors_.back() > kMaxPrime) {
    int length = 1;
    while (length < 2 * n - 1) length *= 2;
    forward_ = std::make_shared<const Transform>(length, -1);
    backward_ = std::make_shared<const Transform>(length, 1);
    filter_.resize(static_cast<std::size_t>(length));
    for (long long k = 0; k < n; ++k) {
      const Complex w = root(sign * (k * k % (2LL * n)), 2LL * n);
      chirp_.push_back(w);
      filter_[static_cast<std::size_t>(k)] = std::conj(w);
      filter_[static_cast<std::size_t>((length - k) % length)] = std::conj(w);
    }
    forward_->run(filter_.data());
    return;
  }
  roots_.reserve(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) roots_.push_back(root(sign * static_cast<long long>(k), n));
}

void Transform::run(Complex* data) const {
  if (n_ == 1) return;
  if (!chirp_.empty()) return convolve(data);
  const std::vector<Complex> in(data, data + n_);
  split(in.data(), 1, data, n_, 0);
}

void Transform::split(const Complex* in, int stride, Complex* out, int n, std::size_t factor) const {
  if (n == 1) {
    *out = *in;
    return;
  }
  const int radix = factors_[factor], part = n / radix;
  for (int r = 0; r < radix; ++r) split(in + r * stride, stride * radix, out + r * part, part, factor + 1);
  combine(out, n, radix, stride);
}

// Makes one transform of `n` elements of `radix` shorter ones. The root of `n` elements is that of all to the power `stride`.
void Transform::combine(Complex* out, int n, int radix, int stride) const {
  const int part = n / radix;
  Complex turned[kMaxPrime];
  for (int k = 0; k < part; ++k) {
    for (int r = 0; r < radix; ++r) turned[r] = times(out[r * part + k], roots_[static_cast<std::size_t>(r) * k * stride]);
    for (int q = 0; q < radix; ++q) {
      Complex sum = turned[0];
      for (int r = 1; r < radix; ++r) sum += times(turned[r], roots_[static_cast<std::size_t>(q * r % radix) * part * stride]);
      out[q * part + k] = sum;
    }
  }
}

void Transform::convolve(Complex* data) const {
  const std::size_t length = filter_.size();
  std::vector<Complex> work(length);
  for (int k = 0; k < n_; ++k) work[static_cast<std::size_t>(k)] = times(data[k], chirp_[static_cast<std::size_t>(k)]);
  forward_->run(work.data());
  for (std::size_t k = 0; k < length; ++k) work[k] = times(work[k], filter_[k]);
  backward_->run(work.data());
  for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
    data[k] = times(work[k], chirp_[k]) / static_cast<double>(length);
  }
}

}  // namespace warpcourt::cpu
