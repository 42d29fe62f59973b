// What stands behind a cudaStream_t and a cudaEvent_t.
//
// Streams and events that a program has destroyed are kept, so that a later use of them is told from a use of new ones.
#pragma once

#include <cuda_runtime_api.h>

#include <map>

#include "abi.h"
#include "host_trace.h"

struct CUstream_st {
  unsigned flags;
  int priority;
  warpcourt::cpu::u64 number = 0;  // 0: the default streams
  int device = 0;
  bool destroyed = false;
  std::map<cudaStreamAttrID, cudaStreamAttrValue> attributes = {};
};

struct CUevent_st {
  int device = 0;
  bool destroyed = false;
  double recorded_ms = -1;
  bool captured = false;  // its last record is part of a graph
  warpcourt::cpu::TracedRecord record = {};
};
