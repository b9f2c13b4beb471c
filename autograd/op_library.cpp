#include "autograd/op_library.h"

#include <dlfcn.h>

namespace kette {

std::vector<OpInfo> load_op_library(const std::filesystem::path& file) {
  const std::string name = file.string();
  KETTE_CHECK(std::filesystem::exists(file), name,
              ": expected a shared object with ops, given no file");
  // An absolute path, so that dlopen does not search for it. Never closed, since the ops are its
  // code.
  void* handle = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    fail(name,
         ": expected a shared object that can be loaded, given one of which the system says: ",
         dlerror());
  using List = const OpLibrary* (*)();
  const auto list = reinterpret_cast<List>(dlsym(handle, "kette_op_library"));
  KETTE_CHECK(
      list != nullptr, name,
      ": expected a list of ops, KETTE_OPS(...) in one of its sources (autograd/op_library.h), given none");
  const OpLibrary& library = *list();
  KETTE_CHECK(
      library.version == std::string(KETTE_VERSION) && library.layout == kLayoutOfOps, name,
      ": expected a library compiled with the headers of this Kette ", KETTE_VERSION,
      ", given one compiled with those of ",
      library.version == std::string(KETTE_VERSION) ? "another state of it" : library.version,
      "; build it again");
  KETTE_CHECK(
      library.current_tape == &Tape::current, name,
      ": expected a library that uses the program's tape (link it with Kette::kette-ops), given one with a tape of "
      "its own");
  std::vector<OpInfo> ops;
  try {
    ops = library.ops();
  } catch (const std::exception& error) {
    fail(name, ": its list of ops cannot be made: ", error.what());
  }
  KETTE_CHECK(!ops.empty(), name, ": expected at least one op, given an empty list");
  for (const OpInfo& op : ops) {
    KETTE_CHECK(!op.samples.empty(), name, ": expected samples to check ", op.name,
                " on, given none");
  }
  return ops;
}

}  // namespace kette
