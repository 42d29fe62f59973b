// Transforms by cuFFT. `data` holds `batch` transforms of n elements for each side; `what` is the kind.
#include <cufft.h>

extern "C" void solve(const float* in, float* out, const double* wide_in, double* wide_out, int n, int batch, int what) {
  cufftHandle plan;
  auto* x = const_cast<float*>(in);
  auto* pairs_in = reinterpret_cast<cufftComplex*>(x);
  auto* pairs_out = reinterpret_cast<cufftComplex*>(out);
  auto* wide_pairs_in = reinterpret_cast<cufftDoubleComplex*>(const_cast<double*>(wide_in));
  auto* wide_pairs_out = reinterpret_cast<cufftDoubleComplex*>(wide_out);
  switch (what) {
    case 0:
    case 1:
      cufftPlan1d(&plan, n, CUFFT_C2C, batch);
      cufftExecC2C(plan, pairs_in, pairs_out, what ? CUFFT_INVERSE : CUFFT_FORWARD);
      break;
    case 2:
      cufftPlan1d(&plan, n, CUFFT_R2C, batch);
      cufftExecR2C(plan, x, pairs_out);
      break;
    case 3:
      cufftPlan1d(&plan, n, CUFFT_C2R, batch);
      cufftExecC2R(plan, pairs_in, out);
      break;
    case 4:
      cufftPlan1d(&plan, n, CUFFT_Z2Z, batch);
      cufftExecZ2Z(plan, wide_pairs_in, wide_pairs_out, CUFFT_FORWARD);
      break;
    case 5:
      cufftPlan1d(&plan, n, CUFFT_D2Z, batch);
      cufftExecD2Z(plan, const_cast<double*>(wide_in), wide_pairs_out);
      break;
    case 6:
      cufftPlan1d(&plan, n, CUFFT_Z2D, batch);
      cufftExecZ2D(plan, wide_pairs_in, wide_out);
      break;
    case 7:  // the batch as the first dimension
      cufftPlan2d(&plan, batch, n, CUFFT_C2C);
      cufftExecC2C(plan, pairs_in, pairs_out, CUFFT_FORWARD);
      break;
    case 8:
      cufftPlan2d(&plan, batch, n, CUFFT_R2C);
      cufftExecR2C(plan, x, pairs_out);
      break;
    case 9:
      cufftPlan2d(&plan, batch, n, CUFFT_C2R);
      cufftExecC2R(plan, pairs_in, out);
      break;
    case 10:
      cufftPlan3d(&plan, batch, 2, n / 2, CUFFT_C2C);
      cufftExecC2C(plan, pairs_in, pairs_out, CUFFT_FORWARD);
      break;
    case 11: {  // columns of a batch x n matrix
      int length[] = {batch};
      cufftPlanMany(&plan, 1, length, length, n, 1, length, n, 1, CUFFT_C2C, n);
      cufftExecC2C(plan, pairs_in, pairs_out, CUFFT_FORWARD);
      break;
    }
    case 12:  // in place: rows of real elements have room for n / 2 + 1 pairs
      cudaMemcpy(out, in, sizeof(float) * 2 * (n / 2 + 1) * batch, cudaMemcpyDeviceToDevice);
      cufftPlan1d(&plan, n, CUFFT_R2C, batch);
      cufftExecR2C(plan, out, pairs_out);
      break;
  }
  cufftDestroy(plan);
}
