#include <cuda_runtime.h>
struct solve { int x; };
