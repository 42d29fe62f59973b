// Right, but one launch for each row: y = B^T x for the row x of A. The library sees B^T already, so no flag is set. A
// product of a matrix and a vector reads all of B for a single row.
#include <cublas_v2.h>

extern "C" void solve(const float* a, const float* b, float* c, int m, int n, int k, int lda, int ldb, int ldc) {
    static cublasHandle_t handle = nullptr;
    if (!handle) cublasCreate(&handle);
    const float one = 1.0f;
    for (int i = 0; i < m; ++i) {
        cublasSgemv(handle, CUBLAS_OP_N, n, k, &one, b, ldb, a + size_t(i) * lda, 1, &one, c + size_t(i) * ldc, 1);
    }
}
