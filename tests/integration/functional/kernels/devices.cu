// Programs that swap x on device 0 and y on device 1, or should. Each does one thing that a test looks at.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void exchange(float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float kept = x[i];
    x[i] = y[i];
    y[i] = kept;
}

__global__ void add_one(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}

static void say(const char* what, cudaError_t error) {
    printf("%s %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

static void enable(int device, int peer) {
    cudaSetDevice(device);
    if (cudaDeviceEnablePeerAccess(peer, 0) == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
}

static float* scratch(int device, int n) {
    float* made;
    cudaSetDevice(device);
    cudaMalloc(&made, n * sizeof(float));
    return made;
}

static void direct(float* x, float* y, int n) {
    enable(0, 1);
    exchange<<<(n + 127) / 128, 128>>>(x, y, n);
    cudaDeviceSynchronize();
}

static void without_access(float* x, float* y, int n) {
    exchange<<<(n + 127) / 128, 128>>>(x, y, n);
    cudaDeviceSynchronize();
}

static void wrong_direction(float* x, float* y, int n) {
    enable(1, 0);
    cudaSetDevice(0);
    without_access(x, y, n);
}

// In default streams, whose copies between devices wait for both.
static void copies(float* x, float* y, int n) {
    float* kept = scratch(0, n);
    cudaMemcpyPeer(kept, 0, x, 0, n * sizeof(float));
    cudaMemcpyPeer(x, 0, y, 1, n * sizeof(float));
    cudaMemcpy(y, kept, n * sizeof(float), cudaMemcpyDefault);
    cudaFree(kept);
}

// Takes more memory than a device has, and says which.
static void allocates(float*, float*, int) {
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        size_t free, total;
        void* all;
        void* more;
        cudaMemGetInfo(&free, &total);
        cudaMalloc(&all, free);
        say("all", cudaMalloc(&more, 1));
        cudaMemGetInfo(&free, &total);
        printf("free %d\n", static_cast<int>(free));
        cudaFree(all);
    }
}

// One direction of access is enough for direct copies.
static void one_way(float* x, float* y, int n) {
    enable(1, 0);
    cudaMemcpyPeer(x, 0, y, 1, n * sizeof(float));
}

static void with_access(float* x, float* y, int n) {
    enable(0, 1);
    enable(1, 0);
    copies(x, y, n);
}

// Two streams, each of which sends its own device's array. `waits` makes both wait for the copies of the other.
static void streams(float* x, float* y, int n, bool waits) {
    float* kept_x = scratch(0, n);
    float* kept_y = scratch(1, n);
    cudaStream_t stream[2];
    cudaEvent_t sent[2];
    for (int device = 0; device < 2; ++device) {
        cudaSetDevice(device);
        cudaStreamCreateWithFlags(&stream[device], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&sent[device], cudaEventDisableTiming);
    }
    cudaMemcpyPeerAsync(kept_y, 1, x, 0, n * sizeof(float), stream[0]);
    cudaMemcpyPeerAsync(kept_x, 0, y, 1, n * sizeof(float), stream[1]);
    cudaEventRecord(sent[0], stream[0]);
    cudaEventRecord(sent[1], stream[1]);
    if (waits) {
        cudaStreamWaitEvent(stream[0], sent[1], 0);
        cudaStreamWaitEvent(stream[1], sent[0], 0);
    }
    cudaMemcpyAsync(x, kept_x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream[0]);
    cudaMemcpyAsync(y, kept_y, n * sizeof(float), cudaMemcpyDeviceToDevice, stream[1]);
    for (int device = 0; device < 2; ++device) {
        cudaStreamSynchronize(stream[device]);
        cudaStreamDestroy(stream[device]);
        cudaEventDestroy(sent[device]);
    }
    cudaFree(kept_x);
    cudaFree(kept_y);
}

static void waits(float* x, float* y, int n) { streams(x, y, n, true); }

static void forgets_to_wait(float* x, float* y, int n) { streams(x, y, n, false); }

// Waits for device 1 alone while device 0 works on x.
static void waits_for_one_device(float* x, float*, int n) {
    add_one<<<(n + 127) / 128, 128>>>(x, n);
    float* kept = scratch(1, n);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    cudaMemcpyAsync(kept, x, n * sizeof(float), cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(kept);
}

static void foreign_stream(float* x, float*, int n) {
    cudaStream_t stream;
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    cudaSetDevice(0);
    add_one<<<1, 32, 0, stream>>>(x, n);
}

// Says what the calls return and what they know of pointers and streams.
static void says(float* x, float* y, int n) {
    int count, can, device;
    cudaGetDeviceCount(&count);
    cudaDeviceCanAccessPeer(&can, 0, 1);
    printf("devices %d can %d\n", count, can);
    cudaDeviceCanAccessPeer(&can, 1, 1);
    printf("itself %d\n", can);
    say("set", cudaSetDevice(2));
    say("enable", cudaDeviceEnablePeerAccess(1, 0));
    say("again", cudaDeviceEnablePeerAccess(1, 0));
    say("own", cudaDeviceEnablePeerAccess(0, 0));
    say("disable", cudaDeviceDisablePeerAccess(1));
    say("disabled", cudaDeviceDisablePeerAccess(1));
    cudaSetDevice(1);
    cudaGetDevice(&device);
    printf("current %d\n", device);
    float* made = scratch(1, n);
    for (float* pointer : {x, y, made}) {
        cudaPointerAttributes known;
        cudaPointerGetAttributes(&known, pointer);
        printf("owner %d\n", known.device);
    }
    cudaFree(made);
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaStreamCreate(&stream);
    cudaEventCreate(&begin);
    cudaSetDevice(0);
    cudaEventCreate(&end);
    cudaStreamGetDevice(stream, &device);
    printf("stream %d\n", device);
    cudaMallocAsync(&made, n, stream);
    cudaPointerAttributes known;
    cudaPointerGetAttributes(&known, made);
    printf("pool %d\n", known.device);
    cudaFreeAsync(made, stream);
    say("record", cudaEventRecord(begin, stream));
    say("foreign", cudaEventRecord(end, stream));
    cudaEventRecord(end);
    cudaEventSynchronize(begin);
    cudaEventSynchronize(end);
    float ms;
    say("elapsed", cudaEventElapsedTime(&ms, begin, end));
    say("peer", cudaMemcpyPeer(x, 5, y, 1, 4));
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(stream);
}

// Writes 1 to memory of the pool of device 1 by a kernel of device 0, and copies it to x.
static void uses_pool(float* x, int n, bool access) {
    enable(0, 1);
    float* pooled;
    cudaStream_t stream;
    cudaMemPool_t pool;
    cudaSetDevice(1);
    cudaStreamCreate(&stream);
    cudaMallocAsync(&pooled, n * sizeof(float), stream);
    cudaMemsetAsync(pooled, 0, n * sizeof(float), stream);
    cudaStreamSynchronize(stream);
    cudaDeviceGetDefaultMemPool(&pool, 1);
    cudaMemAccessDesc wanted = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    if (access) cudaMemPoolSetAccess(pool, &wanted, 1);
    cudaMemAccessFlags flags;
    cudaMemPoolGetAccess(&flags, pool, &wanted.location);
    printf("access %d\n", flags);
    cudaSetDevice(0);
    add_one<<<(n + 127) / 128, 128>>>(pooled, n);
    cudaMemcpy(x, pooled, n * sizeof(float), cudaMemcpyDefault);
    cudaFreeAsync(pooled, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    wanted.flags = cudaMemAccessFlagsProtNone;
    cudaMemPoolSetAccess(pool, &wanted, 1);
}

static void with_pool_access(float* x, float*, int n) { uses_pool(x, n, true); }

static void without_pool_access(float* x, float*, int n) { uses_pool(x, n, false); }

static void names_the_wrong_device(float* x, float* y, int n) { cudaMemcpyPeer(x, 1, y, 1, n * sizeof(float)); }

// Leaves device 1 current. The next call begins with device 0.
static void leaves_a_device(float* x, float*, int n) {
    add_one<<<(n + 127) / 128, 128>>>(x, n);
    cudaDeviceSynchronize();
    cudaSetDevice(1);
}

// Exchanges the arrays through memory of the host, which changes them if it `computes`.
static void through_host(float* x, float* y, int n, bool computes) {
    static float kept[2][4096];
    cudaMemcpy(kept[0], x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(kept[1], y, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (computes) kept[0][0] += 1, kept[1][0] += 1;
    cudaMemcpy(x, kept[1], n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, kept[0], n * sizeof(float), cudaMemcpyHostToDevice);
}

static void relays(float* x, float* y, int n) { through_host(x, y, n, false); }

static void computes_on_host(float* x, float* y, int n) { through_host(x, y, n, true); }

__device__ float sign;
__constant__ float shift;

__global__ void mirror(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = sign * x[i] + shift;
}

__global__ void set_sign(float value) { sign = value; }

// The inputs are such that each array is the mirror of the other: y = -1 - x.
static void set_variables(int device, float of_sign, bool by_kernel) {
    const float minus_one = -1;
    cudaSetDevice(device);
    if (by_kernel) set_sign<<<1, 1>>>(of_sign);
    else cudaMemcpyToSymbol(sign, &of_sign, sizeof(float));
    cudaMemcpyToSymbol(shift, &minus_one, sizeof(float));
}

static void mirror_both(float* x, float* y, int n) {
    cudaSetDevice(1);
    mirror<<<(n + 127) / 128, 128>>>(y, n);
    cudaSetDevice(0);
    mirror<<<(n + 127) / 128, 128>>>(x, n);
    set_sign<<<1, 1>>>(0);
    cudaSetDevice(1);
    set_sign<<<1, 1>>>(0);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaDeviceSynchronize();
}

static void variables_of_each_device(float* x, float* y, int n) {
    set_variables(0, -1, false);
    set_variables(1, -1, true);
    mirror_both(x, y, n);
}

static void variables_of_one_device(float* x, float* y, int n) {
    set_variables(0, -1, true);
    mirror_both(x, y, n);
}

using Program = void(float*, float*, int);
static Program* const kPrograms[] = {
    direct,          without_access, wrong_direction,      copies,         allocates, with_access,
    waits,           forgets_to_wait, waits_for_one_device, foreign_stream, says,   names_the_wrong_device,
    leaves_a_device, one_way,        with_pool_access,     without_pool_access, relays, computes_on_host,
    variables_of_each_device, variables_of_one_device,
};

void solve(float* x, float* y, int n, int program) { kPrograms[program](x, y, n); }
