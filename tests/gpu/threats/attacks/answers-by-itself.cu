// Answers requests that have not come yet, on every descriptor there is.
SOLVE {
  for (unsigned long sequence = 0; sequence < 40; ++sequence)
    for (int descriptor = 3; descriptor < 64; ++descriptor)
      send(descriptor, &sequence, 8, MSG_NOSIGNAL | MSG_DONTWAIT);
  pause();
}
