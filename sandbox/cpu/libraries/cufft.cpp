// The calls of cuFFT. A handle is the number of a plan.
#include <map>
#include <mutex>
#include <string>

#include "../runtime/diagnostics.h"
#include "cufft_plan.h"

namespace warpcourt::cpu {
namespace {

struct Plans {
  std::mutex mutex;
  std::map<cufftHandle, Plan> by_handle;
  cufftHandle last = 0;
};

// Never destroyed: static destructors of a submission may still destroy plans.
Plans& plans() {
  static auto* instance = new Plans;
  return *instance;
}

const char* name_of(cufftResult result) {
  switch (result) {
    case CUFFT_INVALID_PLAN: return "CUFFT_INVALID_PLAN";
    case CUFFT_INVALID_TYPE: return "CUFFT_INVALID_TYPE";
    case CUFFT_INVALID_VALUE: return "CUFFT_INVALID_VALUE";
    case CUFFT_INVALID_SIZE: return "CUFFT_INVALID_SIZE";
    case CUFFT_NOT_SUPPORTED: return "CUFFT_NOT_SUPPORTED";
    default: return "CUFFT_INTERNAL_ERROR";
  }
}

cufftResult refuse_call(const char* call, cufftResult result, const std::string& why) {
  report({Severity::kError, "cuda_error", std::string(call) + ": " + why + " (" + name_of(result) + ")", {}});
  return result;
}

// The plan of a handle, or null with the reason told.
Plan* find(const char* call, cufftHandle handle) {
  const auto found = plans().by_handle.find(handle);
  if (found != plans().by_handle.end()) return &found->second;
  refuse_call(call, CUFFT_INVALID_PLAN, "the plan was not created, or it was destroyed");
  return nullptr;
}

bool is_type(cufftType type) {
  switch (type) {
    case CUFFT_R2C:
    case CUFFT_C2R:
    case CUFFT_C2C:
    case CUFFT_D2Z:
    case CUFFT_Z2D:
    case CUFFT_Z2Z: return true;
  }
  return false;
}

struct Sides {
  const int* inembed = nullptr;
  int istride = 1, idist = 0;
  const int* onembed = nullptr;
  int ostride = 1, odist = 0;
};

cufftResult make(const char* call, cufftHandle handle, int rank, const int* n, const Sides& sides, cufftType type,
                 int batch, size_t* work_bytes) {
  std::lock_guard lock(plans().mutex);
  Plan* plan = find(call, handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  if (plan->made()) return refuse_call(call, CUFFT_INVALID_PLAN, "the plan has been made already");
  if (rank < 1 || rank > kMaxRank || !n) return refuse_call(call, CUFFT_INVALID_VALUE, "the rank must be 1, 2 or 3");
  if (!is_type(type)) return refuse_call(call, CUFFT_INVALID_TYPE, "the type is unknown");
  if (batch < 1) return refuse_call(call, CUFFT_INVALID_SIZE, "the batch has " + std::to_string(batch) + " transforms");
  Plan made{.rank = rank, .type = type, .stream = plan->stream};
  for (int i = 0; i < rank; ++i) {
    if (n[i] < 1) return refuse_call(call, CUFFT_INVALID_SIZE, "a length is " + std::to_string(n[i]));
    made.n[static_cast<std::size_t>(kMaxRank - rank + i)] = n[i];
  }
  made.told = sides.inembed && sides.onembed;
  if (made.told) {
    const bool positive = sides.istride > 0 && sides.ostride > 0 && (batch == 1 || (sides.idist > 0 && sides.odist > 0));
    if (!positive) return refuse_call(call, CUFFT_INVALID_VALUE, "strides and distances must be positive");
    made.told_input = made.embedded(made.is_real_input(), sides.inembed, sides.istride, sides.idist);
    made.told_output = made.embedded(made.is_real_output(), sides.onembed, sides.ostride, sides.odist);
  }
  made.batch = batch;
  *plan = made;
  if (work_bytes) *work_bytes = 0;
  return CUFFT_SUCCESS;
}

cufftResult create(const char* call, cufftHandle* handle) {
  if (!handle) return refuse_call(call, CUFFT_INVALID_VALUE, "the pointer to the plan is null");
  std::lock_guard lock(plans().mutex);
  *handle = ++plans().last;
  plans().by_handle[*handle] = Plan{};
  count_library_handle(1);
  return CUFFT_SUCCESS;
}

cufftResult destroy(const char* call, cufftHandle handle) {
  std::lock_guard lock(plans().mutex);
  if (!find(call, handle)) return CUFFT_INVALID_PLAN;
  plans().by_handle.erase(handle);
  count_library_handle(-1);
  return CUFFT_SUCCESS;
}

cufftResult create_and_make(const char* call, cufftHandle* handle, int rank, const int* n, const Sides& sides,
                            cufftType type, int batch) {
  cufftResult result = create(call, handle);
  if (result != CUFFT_SUCCESS) return result;
  result = make(call, *handle, rank, n, sides, type, batch, nullptr);
  if (result != CUFFT_SUCCESS) destroy(call, *handle);
  return result;
}

cufftResult run(const char* call, cufftHandle handle, cufftType type, const void* input, void* output, int sign) {
  std::unique_lock lock(plans().mutex);
  const Plan* found = find(call, handle);
  if (!found) return CUFFT_INVALID_PLAN;
  const Plan plan = *found;
  lock.unlock();
  if (!plan.made()) return refuse_call(call, CUFFT_INVALID_PLAN, "the plan has not been made yet");
  if (plan.type != type) {
    return refuse_call(call, CUFFT_INVALID_PLAN, "the plan is of another type; it must match the call");
  }
  if (!input || !output) return refuse_call(call, CUFFT_INVALID_VALUE, "a pointer to the data is null");
  if (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE) {
    return refuse_call(call, CUFFT_INVALID_VALUE, "the direction must be CUFFT_FORWARD or CUFFT_INVERSE");
  }
  submit_library_work(call, plan.stream, [=] { execute(call, plan, input, output, sign); });
  return CUFFT_SUCCESS;
}

template <class Change>
cufftResult change(const char* call, cufftHandle handle, Change change) {
  std::lock_guard lock(plans().mutex);
  Plan* plan = find(call, handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  change(*plan);
  return CUFFT_SUCCESS;
}

}  // namespace

extern "C" {

cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  return create_and_make("cufftPlan1d", plan, 1, &nx, {}, type, batch);
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  const int n[] = {nx, ny};
  return create_and_make("cufftPlan2d", plan, 2, n, {}, type, 1);
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  const int n[] = {nx, ny, nz};
  return create_and_make("cufftPlan3d", plan, 3, n, {}, type, 1);
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch) {
  return create_and_make("cufftPlanMany", plan, rank, n, {inembed, istride, idist, onembed, ostride, odist}, type,
                         batch);
}

cufftResult cufftCreate(cufftHandle* plan) { return create("cufftCreate", plan); }
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* work_bytes) {
  return make("cufftMakePlan1d", plan, 1, &nx, {}, type, batch, work_bytes);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* work_bytes) {
  const int n[] = {nx, ny};
  return make("cufftMakePlan2d", plan, 2, n, {}, type, 1, work_bytes);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* work_bytes) {
  const int n[] = {nx, ny, nz};
  return make("cufftMakePlan3d", plan, 3, n, {}, type, 1, work_bytes);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* work_bytes) {
  return make("cufftMakePlanMany", plan, rank, n, {inembed, istride, idist, onembed, ostride, odist}, type, batch,
              work_bytes);
}
// Nothing here needs a work area.
cufftResult cufftGetSize(cufftHandle plan, size_t* work_bytes) {
  if (!work_bytes) return refuse_call("cufftGetSize", CUFFT_INVALID_VALUE, "the pointer for the result is null");
  return change("cufftGetSize", plan, [=](Plan&) { *work_bytes = 0; });
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) {
  return change("cufftSetAutoAllocation", plan, [](Plan&) {});
}
cufftResult cufftSetWorkArea(cufftHandle plan, void*) {
  return change("cufftSetWorkArea", plan, [](Plan&) {});
}
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  return change("cufftSetStream", plan, [=](Plan& changed) { changed.stream = stream; });
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* input, cufftComplex* output, int direction) {
  return run("cufftExecC2C", plan, CUFFT_C2C, input, output, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* input, cufftComplex* output) {
  return run("cufftExecR2C", plan, CUFFT_R2C, input, output, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* input, cufftReal* output) {
  return run("cufftExecC2R", plan, CUFFT_C2R, input, output, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* input, cufftDoubleComplex* output, int direction) {
  return run("cufftExecZ2Z", plan, CUFFT_Z2Z, input, output, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* input, cufftDoubleComplex* output) {
  return run("cufftExecD2Z", plan, CUFFT_D2Z, input, output, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* input, cufftDoubleReal* output) {
  return run("cufftExecZ2D", plan, CUFFT_Z2D, input, output, CUFFT_INVERSE);
}
cufftResult cufftDestroy(cufftHandle plan) { return destroy("cufftDestroy", plan); }
cufftResult cufftGetVersion(int* version) {
  if (!version) return refuse_call("cufftGetVersion", CUFFT_INVALID_VALUE, "the pointer for the result is null");
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}

}  // extern "C"

}  // namespace warpcourt::cpu
