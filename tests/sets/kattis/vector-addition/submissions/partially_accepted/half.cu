void solve() {}
