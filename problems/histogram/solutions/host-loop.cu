// Cheating: counts on the host. The arrays are in device memory, which the host cannot read.
extern "C" void solve(const int* input, int* counts, int n, int bins) {
    for (int bin = 0; bin < bins; ++bin) {
        counts[bin] = 0;
    }
    for (int i = 0; i < n; ++i) {
        ++counts[input[i]];
    }
}
