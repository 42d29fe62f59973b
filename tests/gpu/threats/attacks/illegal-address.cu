// Writes to an address that nobody has.
__global__ void wild() { *(volatile int*)0x10 = 1; }
SOLVE { wild<<<1, 1>>>(); }
