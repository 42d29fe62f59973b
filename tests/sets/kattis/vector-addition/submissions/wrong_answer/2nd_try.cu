// @EXPECTED_RESULTS@: WRONG-ANSWER, RUN-ERROR
void solve(const float* a, const float* b, float* c, int n) {}
