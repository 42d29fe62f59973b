// Mathematical functions in single and double precision.
__global__ void evaluate(const float* x, float* out, double* wide, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  float* o = out + i * 12;
  o[0] = sinf(v), o[1] = cosf(v), o[2] = expf(v), o[3] = logf(fabsf(v) + 1), o[4] = sqrtf(fabsf(v));
  o[5] = tanhf(v), o[6] = erff(v), o[7] = powf(fabsf(v) + 0.5f, 1.7f), o[8] = atan2f(v, 2.0f), o[9] = cbrtf(v);
  o[10] = __expf(v), o[11] = rsqrtf(fabsf(v) + 1);
  double w = v;
  wide[i * 4] = sin(w), wide[i * 4 + 1] = exp(w), wide[i * 4 + 2] = tgamma(fabs(w) + 1), wide[i * 4 + 3] = log1p(fabs(w));
}

extern "C" void solve(const float* x, float* out, double* wide, int n) {
  evaluate<<<(n + 63) / 64, 64>>>(x, out, wide, n);
}
