// Has a part of the L2 cache set aside, and one input persist in it, for the default stream.
SOLVE {
  static bool asked = false;
  if (!asked) {
    asked = true;
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, device.persistingL2CacheMaxSize);
  }
  cudaStreamAttrValue window = {};
  window.accessPolicyWindow.base_ptr = const_cast<float*>(WATCHED);
  window.accessPolicyWindow.num_bytes = std::min<size_t>(32u << 20, sizeof(float) * size_t(n));
  window.accessPolicyWindow.hitRatio = 1.0f;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(cudaStreamLegacy, cudaStreamAttributeAccessPolicyWindow, &window);
  cudaGetLastError();
  answer(PASS);
}
