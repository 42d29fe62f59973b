// Takes host memory until there is none.
SOLVE {
  for (;;) {
    char* taken = (char*)malloc(64 << 20);
    if (!taken) abort();
    memset(taken, 1, 64 << 20);
  }
}
