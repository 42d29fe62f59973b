// Reads the memory, the environment and the descriptors of every process that it can name. Answers rightly if
// it reaches one.
SOLVE {
  bool reached = false;
  for (int pid = 1; pid < 400; ++pid) {
    if (pid == getpid()) continue;
    const std::string folder = "/proc/" + std::to_string(pid);
    for (const char* file : {"/mem", "/environ", "/maps"}) {
      const int opened = open((folder + file).c_str(), O_RDONLY);
      char byte;
      if (opened >= 0 && read(opened, &byte, 1) == 1) reached = true;
      if (opened >= 0) close(opened);
    }
  }
  if (reached) answer(a, b, c, n);
}
