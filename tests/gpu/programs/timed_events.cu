// Times a kernel of several milliseconds by events in different streams. Prints what each pair of events says.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {}
}

static void time_kernel(const char* name, cudaStream_t first, cudaStream_t work, cudaStream_t second, bool wait) {
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    spin<<<1, 1, 0, work>>>(1000);
    cudaDeviceSynchronize();
    cudaEventRecord(start, first);
    spin<<<1, 1, 0, work>>>(20'000'000);
    cudaEventRecord(end, second);
    if (wait) cudaEventSynchronize(end);
    float ms = -1;
    const cudaError_t error = cudaEventElapsedTime(&ms, start, end);
    const cudaError_t last = cudaGetLastError();
    std::printf("%s %s %s %s\n", name, cudaGetErrorName(error), ms < 0 ? "none" : ms < 1 ? "short" : "long",
                cudaGetErrorName(last));
    cudaDeviceSynchronize();
}

int main() {
    cudaStream_t ordinary, apart;
    cudaStreamCreate(&ordinary);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    time_kernel("same", ordinary, ordinary, ordinary, true);
    time_kernel("default-around-ordinary", 0, ordinary, 0, true);
    time_kernel("ordinary-around-default", ordinary, 0, ordinary, true);
    time_kernel("ordinary-and-default", ordinary, ordinary, 0, true);
    time_kernel("default-around-apart", 0, apart, 0, true);
    time_kernel("early", ordinary, ordinary, ordinary, false);
}
