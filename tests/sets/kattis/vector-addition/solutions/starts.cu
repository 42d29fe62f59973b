// Nothing.
void solve(const float* a, const float* b, float* c, int n) {}
