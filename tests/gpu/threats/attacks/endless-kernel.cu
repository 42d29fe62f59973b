// Never ends.
__global__ void spin(volatile float* c) {
  while (true) c[0] = 1;
}
SOLVE { spin<<<1, 1>>>(c); }
