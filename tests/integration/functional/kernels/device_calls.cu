// printf, malloc and free in a kernel, virtual functions, variadic functions, recursion, local arrays.
#include <cstdarg>
#include <cstdio>

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

// All callers pass a local array, so nvcc gives these accesses the local space.
__device__ __noinline__ void put(int* array, int at, int value) { array[at] = value; }
__device__ __noinline__ int get(const int* array, int at) { return array[at]; }

__device__ __noinline__ double sum(int count, ...) {
  va_list values;
  va_start(values, count);
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += i % 2 ? va_arg(values, double) : va_arg(values, int);
  va_end(values);
  return sum;
}

__global__ void work(float* out) {
  int i = threadIdx.x;
  Square square(i);
  Circle circle(i);
  Shape* shape = i % 2 ? static_cast<Shape*>(&square) : static_cast<Shape*>(&circle);
  int* heap = static_cast<int*>(malloc(8 * sizeof(int)));
  for (int j = 0; j < 8; ++j) heap[j] = i * j;
  int local[16];
  for (int j = 0; j < 16; ++j) put(local, j, j * i);
  out[i] = shape->area() + heap[7] + get(local, i % 16) + fibonacci(i % 10);
  out[i] += sum(3, i, 0.5, 7) + sum(0);
  free(heap);
  if (i == 3) printf("thread %d of %s: %5.2f %c %lld %%\n", i, "work", 1.5, 'x', 1ll << 40);
}

extern "C" void solve(float* out) { work<<<1, 32>>>(out); }
