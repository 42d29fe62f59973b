// Calls of cuBLAS, one for each value of `what`. Matrices have at most 8 x 8 elements and 8 rows in memory.
#include <cublas_v2.h>

__global__ void to_half(const float* in, __half* out) { out[threadIdx.x] = __float2half(in[threadIdx.x]); }

__global__ void point(float* c, const float* a, const float* b, float** cs, const float** as, const float** bs) {
  for (int i = 0; i < 2; ++i) {
    as[i] = a + 32 * i;
    bs[i] = b + 32 * i;
    cs[i] = c + 32 * (1 - i);
  }
}

extern "C" void solve(const float* a, const float* b, float* c, int what) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float two = 2.0f, half = 0.5f, one = 1.0f, zero = 0.0f;
  const cublasOperation_t N = CUBLAS_OP_N, T = CUBLAS_OP_T;
  switch (what) {
    case 0: cublasSgemm(handle, N, N, 5, 3, 4, &two, a, 8, b, 8, &half, c, 8); break;
    case 1: cublasSgemm(handle, T, N, 5, 3, 4, &one, a, 8, b, 8, &zero, c, 8); break;
    case 2: cublasSgemm(handle, N, T, 5, 3, 4, &one, a, 8, b, 8, &zero, c, 8); break;
    case 3: cublasSgemmStridedBatched(handle, N, N, 4, 4, 4, &one, a, 4, 16, b, 4, 0, &zero, c, 4, 16, 4); break;
    case 4: {
      void* pointers;
      cudaMalloc(&pointers, 6 * sizeof(void*));
      float** cs = static_cast<float**>(pointers);
      const float **as = const_cast<const float**>(cs + 2), **bs = const_cast<const float**>(cs + 4);
      point<<<1, 1>>>(c, a, b, cs, as, bs);
      cublasSgemmBatched(handle, N, N, 4, 4, 4, &one, as, 4, bs, 4, &zero, cs, 4, 2);
      cudaFree(pointers);
      break;
    }
    case 5: {
      __half* halves;
      cudaMalloc(&halves, 128 * sizeof(__half));
      to_half<<<1, 64>>>(a, halves);
      to_half<<<1, 64>>>(b, halves + 64);
      cublasGemmEx(handle, N, N, 8, 8, 8, &one, halves, CUDA_R_16F, 8, halves + 64, CUDA_R_16F, 8, &zero, c, CUDA_R_32F,
                   8, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
      cudaFree(halves);
      break;
    }
    case 6:
      cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
      cublasSgemm(handle, N, N, 8, 8, 8, &one, a, 8, b, 8, &zero, c, 8);
      break;
    case 7: cublasSgemv(handle, N, 5, 3, &one, a, 8, b, 2, &half, c, 1); break;
    case 8: cublasSgemv(handle, T, 5, 3, &two, a, 8, b, -1, &zero, c, 2); break;
    case 9: cublasSger(handle, 5, 3, &two, a, 1, b, 2, c, 8); break;
    case 10: cublasSgeam(handle, T, N, 5, 3, &one, a, 8, &two, b, 8, c, 8); break;
    case 11: cublasSdgmm(handle, CUBLAS_SIDE_RIGHT, 5, 3, a, 8, b, 1, c, 8); break;
    case 12: cublasSsyrk(handle, CUBLAS_FILL_MODE_LOWER, N, 4, 3, &one, a, 8, &one, c, 8); break;
    case 13: cublasSsymm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, 4, 3, &one, a, 8, b, 8, &zero, c, 8); break;
    case 14:
      cublasStrsm(handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, T, CUBLAS_DIAG_NON_UNIT, 4, 3, &two, a, 8, c, 8);
      break;
    case 15:
      cublasStrsv(handle, CUBLAS_FILL_MODE_UPPER, N, CUBLAS_DIAG_UNIT, 4, a, 8, c, 1);
      break;
    case 16: cublasSsymv(handle, CUBLAS_FILL_MODE_LOWER, 4, &one, a, 8, b, 1, &zero, c, 1); break;
    case 17: {
      float results[4];
      int place;
      cublasSdot(handle, 8, a, 1, b, 1, &results[0]);
      cublasSnrm2(handle, 8, a, 1, &results[1]);
      cublasSasum(handle, 8, a, 2, &results[2]);
      cublasIsamax(handle, 8, a, 1, &place);
      results[3] = static_cast<float>(place);
      cublasSetVector(4, sizeof(float), results, 1, c, 1);
      break;
    }
    case 18:  // scalars and results in device memory
      cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
      cublasSdot(handle, 8, a, 1, b, 1, c);
      cublasSscal(handle, 8, c, c + 8, 1);
      cublasSaxpy(handle, 8, b, a, 1, c + 8, 1);
      cublasSswap(handle, 4, c + 16, 1, c + 20, 1);
      cublasScopy(handle, 8, a, 1, c + 24, -1);
      break;
    case 19: {
      double *wide, wide_one = 1, wide_zero = 0;
      cudaMalloc(&wide, 64 * sizeof(double));
      cudaMemset(wide, 0, 64 * sizeof(double));
      const cublasStatus_t status = cublasDgemm(handle, N, N, 4, 4, 4, &wide_one, wide, 4, wide + 16, 4, &wide_zero,
                                                wide + 32, 4);
      cublasSscal(handle, 64, status == CUBLAS_STATUS_SUCCESS ? &zero : &one, c, 1);
      cudaFree(wide);
      break;
    }
    case 20: {  // complex: alpha a^H b, of 2 x 2
      const cuComplex i = make_cuComplex(0, 1), none = make_cuComplex(0, 0);
      const auto pairs = [](const float* x) { return reinterpret_cast<const cuComplex*>(x); };
      cublasCgemm(handle, CUBLAS_OP_C, N, 2, 2, 2, &i, pairs(a), 2, pairs(b), 2, &none, reinterpret_cast<cuComplex*>(c), 2);
      break;
    }
  }
  cublasDestroy(handle);
}
