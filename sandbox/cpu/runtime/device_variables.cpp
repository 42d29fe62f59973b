// Exchanges the values of variables. See device_variables.h.
#include "device_variables.h"

#include <cstring>
#include <vector>

#include "devices.h"
#include "registry.h"

namespace warpcourt::cpu {
namespace {

using Values = std::vector<u8>;  // of all variables, one after the other

struct Variables {
  std::vector<const Variable*> all;
  Values of_device[kMostDevices];  // but of the one in place
  int in_place = 0;
  bool known = false;
};

Values values_of(const std::vector<const Variable*>& all) {
  Values values;
  for (const Variable* variable : all) values.insert(values.end(), variable->address, variable->address + variable->bytes);
  return values;
}

void put(const Values& values, const std::vector<const Variable*>& all) {
  const u8* from = values.data();
  for (const Variable* variable : all) {
    std::memcpy(variable->address, from, variable->bytes);
    from += variable->bytes;
  }
}

}  // namespace

void use_variables_of(int device) {
  if (device_count() == 1) return;
  static auto* variables = new Variables;
  Variables& v = *variables;
  if (!v.known) {
    v.all = variables_of_devices();
    for (Values& values : v.of_device) values = values_of(v.all);
    v.known = true;
  }
  if (device == v.in_place) return;
  v.of_device[v.in_place] = values_of(v.all);
  put(v.of_device[device], v.all);
  v.in_place = device;
}

}  // namespace warpcourt::cpu
