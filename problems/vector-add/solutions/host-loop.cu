// Cheating: adds on the host. The arrays are in device memory, which the host cannot read.
extern "C" void solve(const float* a, const float* b, float* c, int n) {
    for (int i = 0; i < n; ++i) {
        c[i] = a[i] + b[i];
    }
}
