// Cheating: launches nothing and hopes that the memory still holds the right answer of another program. The judge fills
// every output with fresh random bits before the call.
extern "C" void solve(const float* rgb, float* gray, int rows, int cols) {}
