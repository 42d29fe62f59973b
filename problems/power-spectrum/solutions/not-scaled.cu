// Wrong: cuFFT does not divide by n in either direction. The program must contain the factor.
#include <cufft.h>

constexpr int kThreads = 256;
constexpr float kTurn = 6.283185307179586f;

unsigned blocks_for(size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

__global__ void apply_window(const float* x, float* out, size_t count, int n, int stride) {
    size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= count) return;
    int j = static_cast<int>(at % n);
    float window = 0.5f - 0.5f * cospif(2.0f * j / n);
    out[at / n * stride + j] = window * x[at];
}

__global__ void take_power(const cufftComplex* spectrum, float* power, size_t count, float scale) {
    size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= count) return;
    cufftComplex value = spectrum[at];
    power[at] = (value.x * value.x + value.y * value.y) * scale;
}

// What is kept between calls, for one pair of sizes.
struct Kept {
    int batch = 0, n = 0;
    cufftHandle plan = 0;
    float* windowed = nullptr;
    cufftComplex* spectrum = nullptr;

    void prepare(int new_batch, int new_n) {
        if (new_batch == batch && new_n == n) return;
        if (batch) {
            cufftDestroy(plan);
            cudaFree(windowed);
            cudaFree(spectrum);
        }
        batch = new_batch;
        n = new_n;
        cufftPlan1d(&plan, n, CUFFT_R2C, batch);
        cudaMalloc(&windowed, sizeof(float) * batch * n);
        cudaMalloc(&spectrum, sizeof(cufftComplex) * batch * (n / 2 + 1));
    }
};

extern "C" void solve(const float* x, float* power, int batch, int n) {
    static Kept kept;
    kept.prepare(batch, n);
    size_t samples = size_t(batch) * n, numbers = size_t(batch) * (n / 2 + 1);
    apply_window<<<blocks_for(samples), kThreads>>>(x, kept.windowed, samples, n, n);
    cufftExecR2C(kept.plan, kept.windowed, kept.spectrum);
    take_power<<<blocks_for(numbers), kThreads>>>(kept.spectrum, power, numbers, 1.0f);
}
