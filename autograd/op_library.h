// Ops of a shared object that is made outside of Kette, for `kette gradcheck --library ./libmyops.so`. In one of its sources
//   KETTE_OPS(my::Softplus, my::SoftSign)
// lists them: structs as record.h and sample.h have them, with samples(). It is linked with Kette::kette-ops, which is the
// headers and the kernels alone: all else, the tape first of all, is the program's, of which a process has one.
#pragma once

#include <filesystem>

#include "autograd/op.h"
#include "autograd/tape.h"

namespace kette {

/// What a library tells the program that loads it.
struct OpLibrary {
  const char* version;  ///< of the Kette whose headers it was compiled with
  std::size_t layout;   ///< sizes of what it shares with the program
  Tape* (*current_tape)();
  std::vector<OpInfo> (*ops)();
};
inline constexpr std::size_t kLayoutOfOps =
    sizeof(Tensor) +
    1000 * (sizeof(Variable) + 1000 * (sizeof(Sample) + 1000 * sizeof(GradientSlot)));

/// The ops that a shared object lists; it stays loaded. Throws an Error that names the file and what is wrong with it.
std::vector<OpInfo> load_op_library(const std::filesystem::path& file);

}  // namespace kette

#define KETTE_OPS(...)                                                                           \
  extern "C" __attribute__((visibility("default"))) const kette::OpLibrary* kette_op_library() { \
    static const kette::OpLibrary library{KETTE_VERSION, kette::kLayoutOfOps,                    \
                                          &kette::Tape::current, &kette::op_infos<__VA_ARGS__>}; \
    return &library;                                                                             \
  }
