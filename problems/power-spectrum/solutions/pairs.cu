// Two real signals are the parts of one complex signal. Its transform holds both spectra: the sum with the conjugate of
// the opposite frequency belongs to the first, the difference to the second. An odd batch gets a signal of zeros.
#include <cufft.h>

constexpr int kThreads = 256;
constexpr float kTurn = 6.283185307179586f;

unsigned blocks_for(size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

__global__ void pair_up(const float* x, cufftComplex* pairs, size_t count, int batch, int n) {
    size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= count) return;
    int j = static_cast<int>(at % n);
    size_t first = at / n * 2;
    float window = 0.5f - 0.5f * cospif(2.0f * j / n);
    float second = first + 1 < batch ? x[(first + 1) * n + j] : 0.0f;
    pairs[at] = make_cuComplex(window * x[first * n + j], window * second);
}

__global__ void take_apart(const cufftComplex* pairs, float* power, size_t count, int n) {
    size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= count) return;
    int frequencies = n / 2 + 1;
    size_t signal = at / frequencies;
    int k = static_cast<int>(at % frequencies);
    const cufftComplex* row = pairs + signal / 2 * n;
    cufftComplex here = row[k], there = row[(n - k) % n];
    float sign = signal % 2 ? -1.0f : 1.0f;
    float real = here.x + sign * there.x, imaginary = here.y - sign * there.y;
    power[at] = (real * real + imaginary * imaginary) * 0.25f / n;
}

struct Kept {
    int batch = 0, n = 0;
    cufftHandle plan = 0;
    cufftComplex* pairs = nullptr;

    void prepare(int new_batch, int new_n) {
        if (new_batch == batch && new_n == n) return;
        if (batch) {
            cufftDestroy(plan);
            cudaFree(pairs);
        }
        batch = new_batch;
        n = new_n;
        cufftPlan1d(&plan, n, CUFFT_C2C, (batch + 1) / 2);
        cudaMalloc(&pairs, sizeof(cufftComplex) * ((batch + 1) / 2) * n);
    }
};

extern "C" void solve(const float* x, float* power, int batch, int n) {
    static Kept kept;
    kept.prepare(batch, n);
    size_t samples = size_t((batch + 1) / 2) * n, numbers = size_t(batch) * (n / 2 + 1);
    pair_up<<<blocks_for(samples), kThreads>>>(x, kept.pairs, samples, batch, n);
    cufftExecC2C(kept.plan, kept.pairs, kept.pairs, CUFFT_FORWARD);
    take_apart<<<blocks_for(numbers), kThreads>>>(kept.pairs, power, numbers, n);
}
