// An honest program too: one grid that strides over the elements.
__global__ void strided(TAKE) { WORK_INTO(0, OUTPUT); }

SOLVE { strided<<<1056, 512>>>(PASS); }
