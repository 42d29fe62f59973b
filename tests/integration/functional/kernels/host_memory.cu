// Programs that get x and y in host memory. Each does one thing that a test looks at.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void twice(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

static void launch(const float* x, float* y, int n, cudaStream_t stream = nullptr) {
    twice<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n);
}

static void copies(const float* x, float* y, int n) {
    float *dx, *dy;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);
    launch(dx, dy, n);
    cudaMemcpy(y, dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
}

static void on_host(const float* x, float* y, int n) {
    for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
}

static void direct(const float* x, float* y, int n) {
    launch(x, y, n);
    cudaDeviceSynchronize();
}

static void reads_past(const float* x, float* y, int n) { y[0] = x[n + 5000]; }

static void writes_before(const float*, float* y, int) { y[-1] = 1; }

static void writes_just_past(const float* x, float* y, int n) {
    on_host(x, y, n);
    y[n] = 1;
}

static void copies_too_much(const float* x, float*, int n) {
    float* dx;
    cudaMalloc(&dx, 2 * n * sizeof(float));
    cudaMemcpy(dx, x, (n + 1) * sizeof(float), cudaMemcpyHostToDevice);
}

static void sets(const float*, float* y, int n) { cudaMemset(y, 0, n * sizeof(float)); }

static void frees(const float* x, float*, int) { cudaFree(const_cast<float*>(x)); }

static void frees_as_host(const float* x, float*, int) { cudaFreeHost(const_cast<float*>(x)); }

static void registers(const float* x, float* y, int n) {
    cudaHostRegister(const_cast<float*>(x), n * sizeof(float), cudaHostRegisterMapped);
    cudaHostRegister(y, n * sizeof(float), cudaHostRegisterMapped);
    direct(x, y, n);
    cudaHostUnregister(const_cast<float*>(x));
    cudaHostUnregister(y);
}

static void leaves_registered(const float* x, float* y, int n) {
    cudaHostRegister(const_cast<float*>(x), n * sizeof(float), cudaHostRegisterMapped);
    cudaHostRegister(y, n * sizeof(float), cudaHostRegisterMapped);
    direct(x, y, n);
}

static void registers_half(const float* x, float* y, int n) {
    cudaHostRegister(const_cast<float*>(x), n / 2 * sizeof(float), cudaHostRegisterMapped);
    cudaHostRegister(y, n * sizeof(float), cudaHostRegisterMapped);
    direct(x, y, n);
}

static void past_the_end(const float* x, float* y, int n) {
    launch(x, y, n + 1);
    cudaDeviceSynchronize();
}

// The result arrives in y by a copy in a stream, and the host goes on at once.
static void reads_early(const float* x, float* y, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    float *dx, *dy;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpyAsync(dx, x, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    launch(dx, dy, n, stream);
    cudaMemcpyAsync(y, dy, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    y[0] += 1;
    cudaStreamSynchronize(stream);
    cudaFree(dx);
    cudaFree(dy);
    cudaStreamDestroy(stream);
}

static const char* kind_of(const void* pointer) {
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, pointer);
    void* device = nullptr;
    const bool mapped = cudaHostGetDevicePointer(&device, const_cast<void*>(pointer), 0) == cudaSuccess;
    cudaGetLastError();
    switch (attributes.type) {
        case cudaMemoryTypeUnregistered: return mapped ? "pageable, mapped" : "pageable";
        case cudaMemoryTypeHost: return mapped ? "pinned, mapped" : "pinned";
        default: return "device";
    }
}

static void says_kinds(const float* x, float* y, int n) {
    std::printf("%s; %s\n", kind_of(x), kind_of(y));
    on_host(x, y, n);
}

using Program = void(const float*, float*, int);
static Program* const kPrograms[] = {
    copies,          on_host, direct, reads_past,    writes_before, writes_just_past,  copies_too_much,
    sets,            frees,   frees_as_host, registers, leaves_registered, registers_half,
    past_the_end,    reads_early,   says_kinds,
};

extern "C" void solve(const float* x, float* y, int n, int which) { kPrograms[which](x, y, n); }
