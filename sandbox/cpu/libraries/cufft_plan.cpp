// Executes plans. Every transform is computed in double precision.
#include "cufft_plan.h"

namespace warpcourt::cpu {
namespace {

void touch_side(const char* call, const char* name, const void* base, const Layout& layout, int batch, u64 bytes,
                Access access) {
  const auto first = static_cast<const u8*>(base);
  const u64 last = static_cast<u64>(layout.length[2]), step = static_cast<u64>(layout.stride[2]) * bytes;
  const Extent extent = step == bytes ? Extent{last * bytes} : Extent{bytes, last};
  for (long long b = 0; b < batch; ++b) {
    for (long long i = 0; i < layout.length[0]; ++i) {
      for (long long j = 0; j < layout.length[1]; ++j) {
        const u64 offset = static_cast<u64>(b * layout.distance + layout.at(i, j)) * bytes;
        touch({call, name, first + offset, static_cast<u32>(bytes), extent, step}, access);
      }
    }
  }
}

// One transform as an array of all its complex elements.
class Grid {
 public:
  Grid(const std::array<int, kMaxRank>& n) : n_(n), values_(static_cast<std::size_t>(n[0]) * n[1] * n[2]) {}

  Complex& at(long long i, long long j, long long k) {
    return values_[static_cast<std::size_t>((i * n_[1] + j) * n_[2] + k)];
  }
  // The elements beyond the half that is stored: conjugates of those at the opposite place.
  void mirror(long long half) {
    for (long long i = 0; i < n_[0]; ++i) {
      for (long long j = 0; j < n_[1]; ++j) {
        for (long long k = half; k < n_[2]; ++k) {
          at(i, j, k) = std::conj(at((n_[0] - i) % n_[0], (n_[1] - j) % n_[1], n_[2] - k));
        }
      }
    }
  }
  void transform(const Transform& along, int axis) {
    const std::array<long long, kMaxRank> step{static_cast<long long>(n_[1]) * n_[2], n_[2], 1};
    const int other = axis == 0 ? 1 : 0, last = axis == 2 ? 1 : 2;
    std::vector<Complex> line(static_cast<std::size_t>(n_[axis]));
    for (long long i = 0; i < n_[other]; ++i) {
      for (long long j = 0; j < n_[last]; ++j) {
        Complex* start = values_.data() + i * step[other] + j * step[last];
        for (std::size_t k = 0; k < line.size(); ++k) line[k] = start[static_cast<long long>(k) * step[axis]];
        along.run(line.data());
        for (std::size_t k = 0; k < line.size(); ++k) start[static_cast<long long>(k) * step[axis]] = line[k];
      }
    }
  }

 private:
  std::array<int, kMaxRank> n_;
  std::vector<Complex> values_;
};

template <class T, class Each>
void for_elements(const Layout& layout, T* base, Each each) {
  for (long long i = 0; i < layout.length[0]; ++i) {
    for (long long j = 0; j < layout.length[1]; ++j) {
      for (long long k = 0; k < layout.length[2]; ++k) each(base[layout.at(i, j) + k * layout.stride[2]], i, j, k);
    }
  }
}

template <class T>
struct Pair {
  T x, y;
};

template <class T>
void execute_as(const char* call, const Plan& plan, const void* input, void* output, int sign) {
  const bool in_place = input == output;
  const bool real_input = plan.is_real_input(), real_output = plan.is_real_output();
  const Layout from = plan.input(in_place), to = plan.output(in_place);
  touch_side(call, "idata", input, from, plan.batch, sizeof(T) * (real_input ? 1 : 2), Access::kRead);
  touch_side(call, "odata", output, to, plan.batch, sizeof(T) * (real_output ? 1 : 2), Access::kWrite);
  const Transform along[kMaxRank] = {{plan.n[0], sign}, {plan.n[1], sign}, {plan.n[2], sign}};
  for (long long b = 0; b < plan.batch; ++b) {
    Grid grid(plan.n);
    const auto begin = b * from.distance, end = b * to.distance;
    if (real_input) {
      for_elements(from, static_cast<const T*>(input) + begin,
                   [&](const T& value, long long i, long long j, long long k) { grid.at(i, j, k) = value; });
    } else {
      for_elements(from, static_cast<const Pair<T>*>(input) + begin,
                   [&](const Pair<T>& value, long long i, long long j, long long k) {
                     grid.at(i, j, k) = {value.x, value.y};
                   });
    }
    if (real_output) grid.mirror(plan.half());
    for (int axis = 0; axis < kMaxRank; ++axis) {
      if (plan.n[axis] > 1) grid.transform(along[axis], axis);
    }
    if (real_output) {
      for_elements(to, static_cast<T*>(output) + end, [&](T& out, long long i, long long j, long long k) {
        out = static_cast<T>(grid.at(i, j, k).real());
      });
    } else {
      for_elements(to, static_cast<Pair<T>*>(output) + end, [&](Pair<T>& out, long long i, long long j, long long k) {
        const Complex value = grid.at(i, j, k);
        out = {static_cast<T>(value.real()), static_cast<T>(value.imag())};
      });
    }
  }
}

}  // namespace

Layout Plan::packed(bool real, bool in_place) const {
  const bool padded = real && in_place;
  const long long row = padded ? 2 * half() : last(real);
  Layout layout{{n[0], n[1], last(real)}, {n[1] * row, row, 1}};
  layout.distance = n[0] * layout.stride[0];
  return layout;
}

Layout Plan::embedded(bool real, const int* embedding, int element_stride, int distance) const {
  const long long step = element_stride;
  const long long row = rank > 1 ? embedding[rank - 1] * step : 0;
  const long long plane = rank > 2 ? embedding[rank - 2] * row : 0;
  return {{n[0], n[1], last(real)}, {plane, row, step}, distance};
}

void execute(const char* call, const Plan& plan, const void* input, void* output, int sign) {
  const bool doubles = plan.type == CUFFT_D2Z || plan.type == CUFFT_Z2D || plan.type == CUFFT_Z2Z;
  return doubles ? execute_as<double>(call, plan, input, output, sign)
                 : execute_as<float>(call, plan, input, output, sign);
}

}  // namespace warpcourt::cpu
