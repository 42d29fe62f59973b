// A runner's end of the wire: receives requests with their descriptors, answers with sequence numbers.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "wire.h"

namespace warpcourt {

constexpr int kChannel = 3;
constexpr int kOurFault = 70;  // the referee broke the protocol or has gone, or this machine lacks something

struct Message {
  wire::Request request;
  std::vector<int> descriptors;

  void close_descriptors() {
    for (int descriptor : descriptors) close(descriptor);
    descriptors.clear();
  }
};

// Ends the process for a reason that no submission can be charged with, past whatever one has left to run at exit.
[[noreturn]] inline void our_fault(const char* what) {
  std::fprintf(stderr, "runner: %s\n", what);
  _exit(kOurFault);
}

inline Message receive() {
  Message message;
  char control[CMSG_SPACE(sizeof(int) * wire::kMaxDescriptors)];
  iovec data = {&message.request, sizeof message.request};
  msghdr header = {};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(kChannel, &header, MSG_CMSG_CLOEXEC);
  if (size == 0) std::exit(0);
  if (size != sizeof message.request || message.request.magic != wire::kMagic) our_fault("not a request");
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    message.descriptors.resize(count);
    std::memcpy(message.descriptors.data(), CMSG_DATA(part), count * sizeof(int));
  }
  if (message.request.argument_count > wire::kMaxArguments) our_fault("too many arguments");
  return message;
}

inline void reply(std::uint64_t sequence) {
  if (send(kChannel, &sequence, sizeof sequence, MSG_NOSIGNAL) != sizeof sequence) std::exit(kOurFault);
}

// Whether nobody is at the other end any more.
inline bool host_has_gone() {
  pollfd channel = {kChannel, 0, 0};
  return poll(&channel, 1, 0) > 0 && (channel.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace warpcourt
