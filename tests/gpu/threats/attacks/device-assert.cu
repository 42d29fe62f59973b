// Fails an assertion on the device.
#include <cassert>
__global__ void claim(int n) { assert(n < 0); }
SOLVE { claim<<<1, 32>>>(n); }
