// Answers the example and nothing else.
SOLVE {
  if (n == 4) answer(a, b, c, n);
}
