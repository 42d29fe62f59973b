// A warp for each model, and one table in shared memory. The lanes update 32 amounts at a time, from the largest down. Choices have two bits, and
// two votes put those of 32 amounts into two words.
//
// What bounds it: loads of shared memory, up to four per amount and layer. There are no barriers of a block, and the choices of a layer take 64 bytes.
#include <cuda_runtime.h>

constexpr int kWarps = 4;
constexpr int kUnits = 256;
constexpr int kChunks = kUnits / 32;
constexpr unsigned kAll = 0xffffffffu;

__global__ void choose(
    const float* err, const long long* size, const long long* budget, int* bits, int models, int layers
) {
    extern __shared__ unsigned words[];  // [kWarps][layers][kChunks][2]
    __shared__ float tables[kWarps][kUnits];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int model = blockIdx.x * kWarps + warp;
    if (model >= models) {
        return;
    }
    float* least = tables[warp];
    unsigned* choice = words + warp * layers * kChunks * 2;
    const float* errors = err + 4ll * model * layers;
    const long long* sizes = size + static_cast<long long>(model) * layers;
    int extra = 0;
    for (int layer = lane; layer < layers; layer += 32) {
        extra -= sizes[layer] / 4096;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        extra += __shfl_xor_sync(kAll, extra, distance);
    }
    extra += budget[model] / 1024;
    for (int place = lane; place < kUnits; place += 32) {
        least[place] = 0.0f;
    }
    __syncwarp();

    for (int layer = 0; layer < layers; ++layer) {
        int units = sizes[layer] / 4096;
        float error[4];
        for (int column = 0; column < 4; ++column) {
            error[column] = errors[4 * layer + column];
        }
        for (int chunk = extra / 32; chunk >= 0; --chunk) {
            int place = 32 * chunk + lane;
            float best = least[place] + error[0];
            int chosen = 0;
            for (int column = 1; column < 4; ++column) {
                int before = place - ((1 << column) - 1) * units;
                float candidate = before < 0 ? best : least[before] + error[column];
                if (candidate < best) {
                    best = candidate;
                    chosen = column;
                }
            }
            unsigned low = __ballot_sync(kAll, chosen & 1), high = __ballot_sync(kAll, chosen & 2);
            // All lanes have read the table, but a vote does not order memory accesses.
            __syncwarp();
            least[place] = best;
            if (lane < 2) {
                choice[(layer * kChunks + chunk) * 2 + lane] = lane == 0 ? low : high;
            }
            __syncwarp();
        }
    }

    if (lane == 0) {
        int left = extra;
        for (int layer = layers - 1; layer >= 0; --layer) {
            const unsigned* pair = choice + (layer * kChunks + left / 32) * 2;
            int column = ((pair[0] >> (left % 32)) & 1) + 2 * ((pair[1] >> (left % 32)) & 1);
            bits[static_cast<long long>(model) * layers + layer] = 2 << column;
            left -= ((1 << column) - 1) * static_cast<int>(sizes[layer] / 4096);
        }
    }
}

extern "C" void solve(
    const float* err, const long long* size, const long long* budget, int* bits, int models, int layers
) {
    int shared = kWarps * layers * kChunks * 2 * sizeof(unsigned);
    choose<<<(models + kWarps - 1) / kWarps, 32 * kWarps, shared>>>(err, size, budget, bits, models, layers);
}
