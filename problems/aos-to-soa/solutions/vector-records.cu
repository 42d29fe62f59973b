// Right, but slow: each thread reads its own record as two float4. Each load takes half of 32 sectors, and the second load
// touches the same sectors again: 64 instead of 32. Vector loads help if neighbouring lanes read neighbouring vectors.
#include <cuda_runtime.h>

__global__ void rearrange(const float4* particles, float* fields, int n, float dt) {
    int record = blockIdx.x * blockDim.x + threadIdx.x;
    if (record < n) {
        float4 place = particles[size_t(record) * 2], speed = particles[size_t(record) * 2 + 1];
        fields[record] = place.x + dt * speed.x;
        fields[size_t(n) + record] = place.y + dt * speed.y;
        fields[size_t(n) * 2 + record] = place.z + dt * speed.z;
        fields[size_t(n) * 3 + record] = place.w;
        fields[size_t(n) * 4 + record] = speed.x;
        fields[size_t(n) * 5 + record] = speed.y;
        fields[size_t(n) * 6 + record] = speed.z;
        fields[size_t(n) * 7 + record] = speed.w;
    }
}

extern "C" void solve(const float* particles, float* fields, int n, float dt) {
    rearrange<<<(n + 255) / 256, 256>>>(reinterpret_cast<const float4*>(particles), fields, n, dt);
}
