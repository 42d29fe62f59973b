// The context switch for x86-64 and AArch64, and the stacks that fibers run on.
#include "fiber.h"

#include <sys/mman.h>

#include "owned_memory.h"

namespace warpcourt::cpu {

#if defined(__x86_64__)
// System V ABI: rbx, rbp and r12 to r15 belong to the caller.
asm(R"(
.text
.globl warpcourt_switch
.type warpcourt_switch,@function
warpcourt_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp,(%rdi)
  mov %rsi,%rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size warpcourt_switch,.-warpcourt_switch
)");
constexpr std::size_t kSavedWords = 6;    // below the return address
constexpr std::size_t kReturnWord = 6;
constexpr std::size_t kWordsAbove = 1;    // an entry sees rsp = 8 mod 16, as after a call
#elif defined(__aarch64__)
// AAPCS64: x19 to x30 and the low halves of v8 to v15 belong to the caller.
asm(R"(
.text
.globl warpcourt_switch
.type warpcourt_switch,%function
warpcourt_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x2, sp
  str x2, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size warpcourt_switch,.-warpcourt_switch
)");
constexpr std::size_t kSavedWords = 20;
constexpr std::size_t kReturnWord = 11;   // x30
constexpr std::size_t kWordsAbove = 0;
#else
#error "functional mode runs on x86-64 and AArch64"
#endif

void* Stack::prepare(void (*entry)()) const {
  auto* top = reinterpret_cast<std::uint64_t*>(low + bytes()) - kWordsAbove;
  constexpr std::size_t words = kReturnWord < kSavedWords ? kSavedWords : kReturnWord + 1;
  std::uint64_t* frame = top - words;
  for (std::size_t word = 0; word < words; ++word) frame[word] = 0;
  frame[kReturnWord] = reinterpret_cast<std::uint64_t>(entry);
  return frame;
}

Stack StackPool::take(std::size_t units) {
  if (!free_.empty() && free_.back().units != units) release();
  if (!free_.empty()) {
    Stack stack = free_.back();
    free_.pop_back();
    return stack;
  }
  const std::size_t bytes = Stack{.units = units}.mapping_bytes();
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return {};
  mprotect(memory, kGuardBytes, PROT_NONE);
  note_owned(memory, bytes, Owner::kThread);
  const std::size_t colour = made_++ % kColours;
  mapped_ += units;
  auto* const mapped = static_cast<std::uint8_t*>(memory);
  return {mapped + kGuardBytes + colour * kColourBytes, mapped, units};
}

void StackPool::release() {
  for (const Stack& stack : free_) {
    forget_owned(stack.mapped);
    munmap(stack.mapped, stack.mapping_bytes());
    mapped_ -= stack.units;
  }
  free_.clear();
}

}  // namespace warpcourt::cpu
