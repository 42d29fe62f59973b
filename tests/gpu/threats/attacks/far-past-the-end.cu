// Writes a terabyte behind its output.
__global__ void far(float* c) { c[1ll << 38] = 1; }
SOLVE { far<<<1, 1>>>(c); }
