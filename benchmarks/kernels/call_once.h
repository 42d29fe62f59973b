// Calls a program once on the arguments in a file, for benchmarks.counters_against_ncu, which writes the file: a count,
// and for each argument whether it is an array, its bytes, and the bytes themselves. Numbers have 64 bits. Arrays lie
// in device memory, each in an allocation of its own.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

static void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

static unsigned long long number(std::ifstream& file) {
  unsigned long long found = 0;
  file.read(reinterpret_cast<char*>(&found), sizeof found);
  return found;
}

int main(int, char** words) {
  std::ifstream file(words[1], std::ios::binary);
  std::vector<std::vector<char>> hosts(number(file));
  std::vector<void*> arguments;
  for (std::vector<char>& host : hosts) {
    const bool array = number(file) != 0;
    host.resize(number(file));
    file.read(host.data(), static_cast<std::streamsize>(host.size()));
    void* place = host.data();
    if (array) {
      check(cudaMalloc(&place, host.size()), "cudaMalloc");
      check(cudaMemcpy(place, host.data(), host.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    arguments.push_back(place);
  }
  if (!file) {
    std::fprintf(stderr, "the arguments are incomplete\n");
    return 1;
  }
  warpcourt_call(arguments.data());
  check(cudaDeviceSynchronize(), "solve");
  return 0;
}
