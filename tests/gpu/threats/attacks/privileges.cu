// Answers rightly if it is root, has a capability, may gain privileges, or runs without a system call filter.
SOLVE {
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  bool privileged = getuid() == 0 || geteuid() == 0;
  while (status && fgets(line, sizeof line, status)) {
    unsigned long long value = 0;
    if (sscanf(line, "CapEff: %llx", &value) == 1 && value) privileged = true;
    if (sscanf(line, "CapPrm: %llx", &value) == 1 && value) privileged = true;
    if (sscanf(line, "NoNewPrivs: %llu", &value) == 1 && value != 1) privileged = true;
    if (sscanf(line, "Seccomp: %llu", &value) == 1 && value != 2) privileged = true;
  }
  if (status) fclose(status);
  if (privileged) answer(a, b, c, n);
}
