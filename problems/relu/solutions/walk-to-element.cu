// Too slow: a single thread, which walks over the whole vector again for every element that it wants.
// The work is quadratic, and all but one of the device's threads stand by.
#include <cuda_runtime.h>

__global__ void relu(const volatile float* input, float* output, int n) {
    for (int wanted = 0; wanted < n; ++wanted) {
        for (int i = 0; i < n; ++i) {
            float x = input[i];  // volatile, or the compiler would go straight to the wanted one
            if (i == wanted) {
                output[wanted] = fmaxf(x, 0.0f);
            }
        }
    }
}

extern "C" void solve(const float* input, float* output, int n) {
    relu<<<1, 1>>>(input, output, n);
}
