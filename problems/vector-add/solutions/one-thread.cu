// Too slow: one thread does all the work, and adds every element n times over to find the one it wants.
#include <cuda_runtime.h>

__global__ void add(const float* a, const float* b, float* c, int n) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            volatile float sum = a[j] + b[j];  // volatile, or the compiler would see through it
            if (j == i) {
                c[i] = sum;
            }
        }
    }
}

extern "C" void solve(const float* a, const float* b, float* c, int n) {
    add<<<1, 1>>>(a, b, c, n);
}
