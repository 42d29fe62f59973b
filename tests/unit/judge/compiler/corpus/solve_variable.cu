#include <cuda_runtime.h>
int solve = 3;
