// Asks for blocks of 2048 threads, which no GPU has.
SOLVE { add<<<(n + 2047) / 2048, 2048>>>(a, b, c, n); }
