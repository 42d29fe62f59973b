// Right, but slow: each thread fetches its whole neighbourhood through a texture. A texture is another way to the same
// memory: eight fetches per pixel move the same sectors as eight loads. Its cache delivers most of them, eight times.
#include <cuda_runtime.h>

__device__ int clamp(int at, int end) { return min(max(at, 0), end - 1); }

__global__ void find_edges(cudaTextureObject_t image, unsigned char* edge, int rows, int cols, float threshold) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols) {
        return;
    }
    int a = clamp(row - 1, rows) * cols, b = row * cols, c = clamp(row + 1, rows) * cols;
    int left = clamp(col - 1, cols), right = clamp(col + 1, cols);
    float a_left = tex1Dfetch<float>(image, a + left), a_right = tex1Dfetch<float>(image, a + right);
    float c_left = tex1Dfetch<float>(image, c + left), c_right = tex1Dfetch<float>(image, c + right);
    float b_left = tex1Dfetch<float>(image, b + left), b_right = tex1Dfetch<float>(image, b + right);
    float above = tex1Dfetch<float>(image, a + col), below = tex1Dfetch<float>(image, c + col);
    float across = a_right + 2 * b_right + c_right - (a_left + 2 * b_left + c_left);
    float down = c_left + 2 * below + c_right - (a_left + 2 * above + a_right);
    edge[size_t(row) * cols + col] = across * across + down * down >= threshold * threshold ? 255 : 0;
}

extern "C" void solve(const float* image, unsigned char* edge, int rows, int cols, float threshold) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float*>(image);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = size_t(rows) * cols * sizeof(float);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    dim3 threads(32, 8), blocks((cols - 1) / 32 + 1, (rows - 1) / 8 + 1);
    find_edges<<<blocks, threads>>>(texture, edge, rows, cols, threshold);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
