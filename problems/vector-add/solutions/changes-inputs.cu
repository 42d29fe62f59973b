// Cheating: clears its inputs, so that a program that checks c against a + b afterwards would accept zeros.
// The judge compares with its own copy of the inputs, and rejects programs that change them.
#include <cuda_runtime.h>

extern "C" void solve(float* a, float* b, float* c, int n) {
    cudaMemset(a, 0, n * sizeof(float));
    cudaMemset(b, 0, n * sizeof(float));
    cudaMemset(c, 0, n * sizeof(float));
}
