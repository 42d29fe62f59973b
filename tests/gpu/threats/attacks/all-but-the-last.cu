// Leaves one element out.
SOLVE {
  if (n > 1) answer(a, b, c, n - 1);
}
