// Cheating: sorts on the host. The array is in device memory, and the first access from the host is a
// segmentation fault.
#include <algorithm>

extern "C" void solve(float* data, int n) { std::sort(data, data + n); }
