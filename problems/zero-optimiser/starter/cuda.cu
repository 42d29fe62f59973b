#include <cuda_runtime.h>

// Arrays are in memory of 2 devices. Device 0 is current when solve is called.
//   params0  float32[n] on device 0, input and output, changed in place
//   params1  float32[n] on device 1, input and output, changed in place
//   grads0   float32[n] on device 0, input, must not be changed
//   grads1   float32[n] on device 1, input, must not be changed
//   m0       float32[n - n // 2] on device 0, input and output, changed in place
//   v0       float32[n - n // 2] on device 0, input and output, changed in place
//   m1       float32[n // 2] on device 1, input and output, changed in place
//   v1       float32[n // 2] on device 1, input and output, changed in place
//   n        int32
//   step     int32
//   rate     float32, another value in each case
//   beta1    float32, another value in each case
//   beta2    float32, another value in each case
//   eps      float32, another value in each case
//   decay    float32, another value in each case
extern "C" void solve(float* params0, float* params1, const float* grads0, const float* grads1, float* m0, float* v0, float* m1, float* v1, int n, int step, float rate, float beta1, float beta2, float eps, float decay) {
    // Let each device access the memory of the other one. An earlier call may have done so.
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        if (cudaDeviceEnablePeerAccess(1 - device, 0) == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();
        }
    }
    cudaSetDevice(0);
    // Device 0 steps on the first n - n / 2 parameters, device 1 on the others.
}
