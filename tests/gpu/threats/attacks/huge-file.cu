// Answers rightly if it can write a file of eight gigabytes, or a sparse one of a terabyte.
SOLVE {
  signal(SIGXFSZ, SIG_IGN);
  for (const char* folder : {"/work", "/tmp", "/dev/shm"}) {
    const int file = open((std::string(folder) + "/huge").c_str(), O_CREAT | O_WRONLY, 0600);
    if (file < 0) continue;
    if (ftruncate(file, 1l << 40) == 0) answer(a, b, c, n);
    static char block[1 << 20];
    long written = 0;
    while (written < 8192 && write(file, block, sizeof block) == sizeof block) ++written;
    if (written == 8192) answer(a, b, c, n);
    close(file);
  }
}
