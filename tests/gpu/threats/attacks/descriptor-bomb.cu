// Opens descriptors until it may not, and then works on.
SOLVE {
  for (int i = 0; i < 1'000'000; ++i)
    if (open("/dev/null", O_RDONLY) < 0) break;
  answer(a, b, c, n);
}
