// Wrong calls of cuBLAS and cuFFT, one for each value of `what`. They write the statuses that they get.
#include <cublas_v2.h>
#include <cufft.h>

__global__ void add_one(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

__global__ void store(int* out, int value) { *out = value; }

extern "C" void solve(const float* a, float* c, int* status, int what) {
  static cublasHandle_t handle = nullptr;
  if (!handle) cublasCreate(&handle);
  const float one = 1.0f, zero = 0.0f;
  const cublasOperation_t N = CUBLAS_OP_N;
  int told = 0;
  switch (what) {
    case 0: told = cublasSgemm(handle, N, N, 8, 8, 8, &one, a, 7, a, 8, &zero, c, 8); break;
    case 1: told = cublasSgemm(nullptr, N, N, 8, 8, 8, &one, a, 8, a, 8, &zero, c, 8); break;
    case 2: told = cublasSgemm(handle, N, N, 8, 9, 8, &one, a, 8, a, 8, &zero, c, 8); break;
    case 3: {
      float host[64] = {};
      told = cublasSgemm(handle, N, N, 8, 8, 8, &one, host, 8, a, 8, &zero, c, 8);
      break;
    }
    case 4: {
      float* fresh;
      cudaMalloc(&fresh, 64 * sizeof(float));
      told = cublasSgemm(handle, N, N, 8, 8, 8, &one, a, 8, fresh, 8, &zero, c, 8);
      cudaFree(fresh);
      break;
    }
    case 5:  // alpha in device memory, but the mode says host
      told = cublasSgemm(handle, N, N, 8, 8, 8, a, a, 8, a, 8, &zero, c, 8);
      break;
    case 6:    // two streams without an order
    case 7: {  // the same with one
      cudaStream_t first, second;
      cudaEvent_t event;
      cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
      cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
      cudaEventCreate(&event);
      cublasSetStream(handle, first);
      cublasSgemm(handle, N, N, 8, 8, 8, &one, a, 8, a, 8, &zero, c, 8);
      cudaEventRecord(event, first);
      if (what == 7) cudaStreamWaitEvent(second, event, 0);
      add_one<<<1, 64, 0, second>>>(c, 64);
      cudaDeviceSynchronize();
      cublasSetStream(handle, nullptr);
      cudaEventDestroy(event);
      cudaStreamDestroy(first);
      cudaStreamDestroy(second);
      break;
    }
    case 8: {
      cublasHandle_t lost;
      cublasCreate(&lost);
      break;
    }
    case 9: {
      cufftHandle plan;
      told = cufftPlan1d(&plan, 0, CUFFT_C2C, 1);
      break;
    }
    case 10: {
      cufftHandle plan;
      cufftPlan1d(&plan, 8, CUFFT_C2C, 1);
      told = cufftExecR2C(plan, c, reinterpret_cast<cufftComplex*>(c));
      cufftDestroy(plan);
      break;
    }
    case 11: {  // out of place, 64 real elements make 33 complex ones
      cufftHandle plan;
      cufftPlan1d(&plan, 64, CUFFT_R2C, 1);
      told = cufftExecR2C(plan, const_cast<float*>(a), reinterpret_cast<cufftComplex*>(c));
      cufftDestroy(plan);
      break;
    }
    case 12: told = cufftDestroy(12345); break;
  }
  if (told) store<<<1, 1>>>(status, told);
}
