// Ops in a shared library built outside of Kette, for `kette gradcheck --library ./libmyops.so`.
// One of its sources lists them:
//   KETTE_OPS(my::Softplus, my::SoftSign)
// They are structs as described in record.h and sample.h, with samples(). The library is linked
// with Kette::kette-ops, which has only the headers and the kernels. All else, above all the tape,
// must be the program's, since a process may have only one.
#pragma once

#include <filesystem>

#include "autograd/op.h"
#include "autograd/op_info.h"
#include "autograd/tape.h"

namespace kette {

/// The interface of a library to the program that loads it.
struct OpLibrary {
  const char* version;  ///< of the Kette headers it was compiled with
  std::size_t layout;   ///< kLayoutOfOps: a hash of the sizes of shared types
  Tape* (*current_tape)();
  std::vector<OpInfo> (*ops)();
};
inline constexpr std::size_t kLayoutOfOps =
    sizeof(Tensor) +
    1000 * (sizeof(Variable) +
            1000 * (sizeof(Sample) + 1000 * (sizeof(GradientSlot) + 1000 * sizeof(OpInfo))));

/// The ops of a shared library, which stays loaded. The Error says what is wrong with the file.
std::vector<OpInfo> load_op_library(const std::filesystem::path& file);

}  // namespace kette

#define KETTE_OPS(...)                                                                           \
  extern "C" __attribute__((visibility("default"))) const kette::OpLibrary* kette_op_library() { \
    static const kette::OpLibrary library{KETTE_VERSION, kette::kLayoutOfOps,                    \
                                          &kette::Tape::current, &kette::op_infos<__VA_ARGS__>}; \
    return &library;                                                                             \
  }
