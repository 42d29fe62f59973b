// Starts processes, and then threads, for as long as it may.
SOLVE {
  for (int i = 0; i < 100'000; ++i)
    if (fork() == 0) pause();
  for (int i = 0; i < 100'000; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, [](void*) -> void* { pause(); return nullptr; }, nullptr) != 0) break;
  }
}
