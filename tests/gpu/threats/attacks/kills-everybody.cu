// Kills its parent, its init, and whatever else it may.
SOLVE {
  kill(getppid(), SIGKILL);
  kill(1, SIGKILL);
  kill(-1, SIGKILL);
  _exit(0);
}
