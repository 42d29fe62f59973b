// A warp for each row, and two passes: all maxima and sums in the first one, the gradient in the second.
//
// What bounds it: memory. The second pass reads from L2 if the rows are short. A greater maximum rescales the sums that
// refer to it. The sum of the differences needs neither maximum, because the common parts cancel in the end.
#include <cuda_runtime.h>

constexpr int kWarps = 4;

struct Sums {
    float student, teacher;        // greatest logits
    float hard, soft, given, gap;  // sums of exponentials relative to them
};

__device__ Sums rescale(Sums a, float student, float teacher, float inverse) {
    float own = a.student - student, other = expf((a.teacher - teacher) * inverse);
    return {student, teacher, a.hard * expf(own), a.soft * expf(own * inverse), a.given * other, a.gap * other};
}

__global__ void distil(const float* student, const float* teacher, const int* label, float* loss, float* gradient, int n,
                       int c, float temperature, float alpha) {
    int row = blockIdx.x * kWarps + threadIdx.y, lane = threadIdx.x;
    if (row >= n) {
        return;
    }
    const float* s = student + size_t(row) * c;
    const float* t = teacher + size_t(row) * c;
    // The differences are relative to those of the first class, so that they stay small.
    float inverse = 1.0f / temperature, shift = t[0] - s[0];
    Sums all = {s[0], t[0], 0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = lane; i < c; i += 32) {
        if (s[i] > all.student || t[i] > all.teacher) {
            all = rescale(all, fmaxf(all.student, s[i]), fmaxf(all.teacher, t[i]), inverse);
        }
        float own = s[i] - all.student, weight = expf((t[i] - all.teacher) * inverse);
        all.hard += expf(own);
        all.soft += expf(own * inverse);
        all.given += weight;
        all.gap += weight * (t[i] - s[i] - shift);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        Sums other = {__shfl_xor_sync(0xffffffffu, all.student, offset), __shfl_xor_sync(0xffffffffu, all.teacher, offset),
                      __shfl_xor_sync(0xffffffffu, all.hard, offset),    __shfl_xor_sync(0xffffffffu, all.soft, offset),
                      __shfl_xor_sync(0xffffffffu, all.given, offset),   __shfl_xor_sync(0xffffffffu, all.gap, offset)};
        float own_most = fmaxf(all.student, other.student), other_most = fmaxf(all.teacher, other.teacher);
        all = rescale(all, own_most, other_most, inverse);
        other = rescale(other, own_most, other_most, inverse);
        all.hard += other.hard;
        all.soft += other.soft;
        all.given += other.given;
        all.gap += other.gap;
    }
    int right = label[row];
    if (lane == 0) {
        float common = shift - all.teacher + all.student;
        float divergence = (all.gap / all.given + common) * inverse - logf(all.given) + logf(all.soft);
        float entropy = logf(all.hard) - (s[right] - all.student);
        atomicAdd(loss, alpha * temperature * temperature * divergence + (1.0f - alpha) * entropy);
    }
    float soft = alpha * temperature / all.soft, given = alpha * temperature / all.given, hard = (1.0f - alpha) / all.hard;
    for (int i = lane; i < c; i += 32) {
        float own = s[i] - all.student;
        float sum = soft * expf(own * inverse) - given * expf((t[i] - all.teacher) * inverse) + hard * expf(own);
        gradient[size_t(row) * c + i] = sum - (i == right ? 1.0f - alpha : 0.0f);
    }
}

extern "C" void solve(const float* student, const float* teacher, const int* label, float* loss, float* gradient, int n,
                      int c, float temperature, float alpha) {
    distil<<<(n + kWarps - 1) / kWarps, dim3(32, kWarps)>>>(student, teacher, label, loss, gradient, n, c, temperature,
                                                           alpha);
}
