// Sends orders to the MPS daemon as bytes, through whatever socket the runner left it, in case the daemon takes text.
// What comes of it shows in whether the neighbours live.
SOLVE {
  const char* directory = getenv("CUDA_MPS_PIPE_DIRECTORY");
  for (const char* name : {"control", "control_privileged", "control_lock"}) {
    for (int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
      const int connection = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
      sockaddr_un to = {};
      to.sun_family = AF_UNIX;
      snprintf(to.sun_path, sizeof to.sun_path, "%s/%s", directory ? directory : "/tmp/nvidia-mps", name);
      if (connection >= 0 && connect(connection, (sockaddr*)&to, sizeof to) == 0) {
        for (const char* order : {"quit -f\n", "set_default_active_thread_percentage 1\n", "get_server_list\n"})
          (void)!write(connection, order, strlen(order) + 1);
        char reply[512];
        usleep(2000);
        (void)!read(connection, reply, sizeof reply);
      }
      if (connection >= 0) close(connection);
    }
  }
}
