// Writes findings, bounded and without repeats, and the small texts that they are made of.
#include "diagnostics.h"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

namespace warpcourt::cpu {
namespace {

constexpr std::size_t kMaxFindings = 32;
constexpr std::size_t kMaxNotes = 16;  // of launches, and of other things
constexpr std::size_t kMaxCounts = 32;
constexpr std::size_t kMaxMessageBytes = 1500;
constexpr std::size_t kMaxRepeats = 24;  // of findings, in other cases
constexpr std::size_t kMaxSumsBytes = 3900;  // one note of a call
constexpr const char* kSubmission = "solution.cu";

struct Log {
  std::mutex mutex;
  std::set<std::string> seen, launches, notes, counts;
  std::set<std::string> kinds;  // of findings in this case
  std::size_t repeats = 0;
  bool raced = false;
  int descriptor = STDERR_FILENO;
  const Module* module = nullptr;
  void (*last_act)() = nullptr;
};

// Never destroyed: static destructors of a submission may still cause findings.
Log& log() {
  static Log* instance = new Log;
  return *instance;
}

std::string quoted(std::string_view raw, std::size_t most = kMaxMessageBytes) {
  std::string out = "\"";
  for (unsigned char c : raw.substr(0, most)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + '"';
}

std::string triple(const Dim3& index) {
  return '[' + std::to_string(index.x) + ',' + std::to_string(index.y) + ',' + std::to_string(index.z) + ']';
}

std::string json(const Finding& finding, std::size_t most = kMaxMessageBytes) {
  static const char* const names[] = {"note", "warning", "error"};
  std::string line = "{\"severity\":\"";
  line += names[static_cast<int>(finding.severity)];
  line += "\",\"kind\":" + quoted(finding.kind) + ",\"message\":" + quoted(finding.message, most);
  if (!finding.array.empty()) line += ",\"array\":" + quoted(finding.array);
  if (!finding.where.kernel.empty()) line += ",\"kernel\":" + quoted(finding.where.kernel);
  if (finding.where.block) line += ",\"block\":" + triple(*finding.where.block);
  if (finding.where.thread) line += ",\"thread\":" + triple(*finding.where.thread);
  if (u32 number = line_number(finding.where.location)) line += ",\"line\":" + std::to_string(number);
  return line + "}\n";
}

void write_all(int descriptor, const std::string& data) {
  std::size_t done = 0;
  while (done < data.size()) {
    ssize_t wrote = write(descriptor, data.data() + done, data.size() - done);
    if (wrote <= 0) return;
    done += static_cast<std::size_t>(wrote);
  }
}

// Whether the judge explains a wrong output by findings of that kind.
bool explains_outputs(std::string_view kind) {
  return kind == "race" || kind == "stream_hazard" || kind == "uninitialised";
}

const Location* find_location(u32 location) {
  const Module* module = log().module;
  if (!module || location == 0 || location >= module->location_count) return nullptr;
  return &module->locations[location];
}

std::string_view base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

}  // namespace

void set_diagnostics_descriptor(int descriptor) { log().descriptor = descriptor; }
void set_diagnostics_module(const Module* module) { log().module = module; }

void report(const Finding& finding) {
  Log& to = log();
  std::lock_guard lock(to.mutex);
  std::string key = finding.kind;
  key += line_text(finding.where.location);
  key += finding.where.location ? "" : finding.message;
  const bool note = finding.severity == Severity::kNote;
  const bool launch = std::string_view(finding.kind) == "launch";
  const bool counts = std::string_view(finding.kind) == "counts";
  if (counts) key += finding.where.kernel;
  std::set<std::string>& seen = !note ? to.seen : launch ? to.launches : counts ? to.counts : to.notes;
  const bool race = std::string_view(finding.kind) == "race";
  to.raced |= race;
  const std::size_t most = !note ? kMaxFindings - !to.raced : counts ? kMaxCounts : kMaxNotes;
  const bool first_of_kind = !note && to.kinds.insert(finding.kind).second;
  if (seen.contains(key)) {
    if (!first_of_kind || !explains_outputs(finding.kind) || to.repeats == kMaxRepeats) return;
    ++to.repeats;
  } else {
    if (seen.size() >= most) return;
    seen.insert(key);
  }
  write_all(to.descriptor, json(finding));
}

void start_case_of_findings() {
  std::lock_guard lock(log().mutex);
  log().kinds.clear();
}

void report_always(const char* kind, const std::string& message) {
  std::lock_guard lock(log().mutex);
  write_all(log().descriptor, json({Severity::kNote, kind, message, {}}, kMaxSumsBytes));
}

void set_last_act(void (*last_act)()) { log().last_act = last_act; }

void report_last(const Finding& finding) {
  log().mutex.lock();
  write_all(log().descriptor, json(finding));
}

void fail(const Finding& finding, wire::ExitStatus status) {
  report_last(finding);
  std::fflush(stdout);
  if (log().last_act) log().last_act();
  _exit(status);
}

std::string text(const Dim3& index) {
  return '(' + std::to_string(index.x) + ',' + std::to_string(index.y) + ',' + std::to_string(index.z) + ')';
}

std::string hexadecimal(u64 value) {
  char out[24];
  std::snprintf(out, sizeof out, "0x%llx", static_cast<unsigned long long>(value));
  return out;
}

std::string line_text(u32 location) {
  const Location* found = find_location(location);
  if (!found || found->line == 0) return "";
  std::string_view file = base_name(found->file);
  if (file == kSubmission) return "line " + std::to_string(found->line);
  return std::string(file) + ':' + std::to_string(found->line) + " of a library";
}

std::string in_line(u32 location) {
  const std::string line = line_text(location);
  return line.empty() ? "" : " (" + line + ")";
}

u32 line_number(u32 location) {
  const Location* found = find_location(location);
  return found && base_name(found->file) == kSubmission ? found->line : 0;
}

std::string demangle(const char* mangled) {
  if (std::strncmp(mangled, "_Z", 2) != 0) return mangled;  // "v" would be void
  int status = 0;
  char* whole = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  if (status != 0 || !whole) return mangled;
  std::string name = whole;
  std::free(whole);
  return bare_name(std::move(name));
}

std::string bare_name(std::string name) {
  // The parameter list starts at the parenthesis that matches the last one.
  std::size_t end = name.rfind(')');
  for (std::size_t depth = 0, at = end; end != std::string::npos && at != std::string::npos; --at) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) {
      name.resize(at);
      break;
    }
    if (at == 0) break;
  }
  // Templates carry a return type before the name.
  std::size_t depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == '>') ++depth;
    if (name[at] == '<') --depth;
    if (name[at] == ' ' && depth == 0) return name.substr(at + 1);
  }
  return name;
}

std::string count(u64 number, const char* noun) {
  return std::to_string(number) + ' ' + noun + (number == 1 ? "" : "s");
}

}  // namespace warpcourt::cpu
