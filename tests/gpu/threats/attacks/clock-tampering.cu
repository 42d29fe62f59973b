// Asks NVML to lock clocks and to lower the power limit. Ends itself if any of that is granted.
SOLVE {
  static bool tried = false;
  if (!tried) {
    tried = true;
    if (void* nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
      auto call = [&](const char* name) { return (int (*)(void*, unsigned, unsigned))dlsym(nvml, name); };
      auto* init = (int (*)())dlsym(nvml, "nvmlInit_v2");
      auto* handle = (int (*)(unsigned, void**))dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2");
      void* device = nullptr;
      if (init && handle && init() == 0 && handle(0, &device) == 0) {
        if (call("nvmlDeviceSetGpuLockedClocks")(device, 345, 345) == 0) _exit(42);
        if (call("nvmlDeviceSetMemoryLockedClocks")(device, 405, 405) == 0) _exit(42);
        if (call("nvmlDeviceSetPowerManagementLimit")(device, 200000, 0) == 0) _exit(42);
        if (call("nvmlDeviceSetPersistenceMode")(device, 0, 0) == 0) _exit(42);
      }
    }
  }
  answer(a, b, c, n);
}
