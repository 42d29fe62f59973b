// Wrong: this math mode permits TF32 on tensor cores. It rounds each factor to 11 bits, so results are off by about
// 0.0003. It would be several times as fast.
#include <cublas_v2.h>

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, int lda, int ldb, int ldc) {
    static cublasHandle_t handle = nullptr;
    if (!handle) cublasCreate(&handle);
    cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
    const float one = 1.0f;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, ldb, a, lda, &one, c, ldc);
}
