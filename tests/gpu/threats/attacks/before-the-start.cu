// The right answer, and one element before it.
__global__ void one_before(float* c) { c[-1] = 1; }
SOLVE {
  answer(a, b, c, n);
  one_before<<<1, 1>>>(c);
}
