// Reads the memory, the environment and the map of every process that it can name, but for its own threads. Answers
// rightly if it reaches one.
static bool own(const std::string& folder) {
  FILE* status = fopen((folder + "/status").c_str(), "r");
  char line[256];
  int group = 0;
  while (status && fgets(line, sizeof line, status)) sscanf(line, "Tgid: %d", &group);
  if (status) fclose(status);
  return group == getpid();
}

SOLVE {
  bool reached = false;
  for (int pid = 1; pid < 400; ++pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    if (own(folder)) continue;
    for (const char* file : {"/mem", "/environ", "/maps"}) {
      const int opened = open((folder + file).c_str(), O_RDONLY);
      char byte;
      if (opened >= 0 && read(opened, &byte, 1) == 1) reached = true;
      if (opened >= 0) close(opened);
    }
  }
  if (reached) answer(a, b, c, n);
}
