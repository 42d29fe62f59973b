// Wrong: nothing is launched. A judge that reuses memory might find the last submission's right answer
// in the output. Here it holds random bits before every call.
extern "C" void solve(const float*, const float*, const float*, float*, int, int) {}
