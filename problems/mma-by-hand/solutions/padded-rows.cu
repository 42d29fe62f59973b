// Eight rows 32 bytes apart use half of the banks twice. With 16 bytes more per row, the eight rows that ldmatrix reads at a time have all 32 banks to themselves.
// Asynchronous copies of 16 bytes stage them without registers.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

constexpr int kWarps = 4;  // of a block, each with its own product
constexpr int kLeft = 16 * 16;
constexpr int kRight = 16 * 8;
constexpr int kRow = 24;  // of the left side, with padding

// Four matrices of 8 x 8: lane l has the address of row l % 8 of matrix l / 8.
__device__ void load_left(unsigned* fragment, const __half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}

// Two matrices, each transposed: a lane needs two elements of a column.
__device__ void load_right(unsigned* fragment, const __half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fragment[0]), "=r"(fragment[1])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row))));
}

__device__ void multiply(float* sum, const unsigned* left, const unsigned* right) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}

// Lane l has two neighbours of row l / 4, and two of the row eight below.
__device__ void store(float* d, const float* sum, int lane) {
    float* place = d + lane / 4 * 8 + lane % 4 * 2;
    place[0] = sum[0];
    place[1] = sum[1];
    place[8 * 8] = sum[2];
    place[8 * 8 + 1] = sum[3];
}

__global__ void products(const __half* a, const __half* b, float* d, int batch) {
    __shared__ alignas(16) __half left_rows[kWarps][16 * kRow];
    __shared__ alignas(16) __half right_rows[kWarps][kRight];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int product = blockIdx.x * kWarps + warp;
    if (product >= batch) return;
    const __half* from = a + size_t(product) * kLeft;
    __pipeline_memcpy_async(&left_rows[warp][lane / 2 * kRow + lane % 2 * 8], from + lane * 8, 16);
    if (lane < 16) __pipeline_memcpy_async(&right_rows[warp][lane * 8], b + size_t(product) * kRight + lane * 8, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    unsigned left[4], right[2];
    load_left(left, &left_rows[warp][lane % 16 * kRow + lane / 16 * 8]);
    load_right(right, &right_rows[warp][lane % 16 * 8]);
    float sum[4] = {};
    multiply(sum, left, right);
    store(d + size_t(product) * kRight, sum, lane);
}

extern "C" void solve(const __half* a, const __half* b, float* d, int batch) {
    products<<<(batch - 1) / kWarps + 1, kWarps * 32>>>(a, b, d, batch);
}
