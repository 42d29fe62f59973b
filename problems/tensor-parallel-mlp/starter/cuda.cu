#include <cuda_runtime.h>

// Arrays are in memory of 2 devices. Device 0 is current when solve is called.
//   x0        float32[m][k] on device 0, input
//   w1_left   float32[k][left] on device 0, input
//   w2_upper  float32[left][n] on device 0, input
//   y0        float32[m][n] on device 0, output
//   x1        float32[m][k] on device 1, input, equal to x0
//   w1_right  float32[k][right] on device 1, input
//   w2_lower  float32[right][n] on device 1, input
//   y1        float32[m][n] on device 1, output
//   m, k, left, right, n  int32
extern "C" void solve(const float* x0, const float* w1_left, const float* w2_upper, float* y0, const float* x1,
                      const float* w1_right, const float* w2_lower, float* y1, int m, int k, int left, int right,
                      int n) {
    // Let each device access the memory of the other one. An earlier call may have done so.
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        if (cudaDeviceEnablePeerAccess(1 - device, 0) == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();
        }
    }
    cudaSetDevice(0);
    // Store relu(x W1) W2 in y0 and y1.
}
