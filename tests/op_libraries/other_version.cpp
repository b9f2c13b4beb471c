// What a library says that was compiled with the headers of an older Kette.
#include "autograd/op_library.h"

extern "C" const kette::OpLibrary* kette_op_library() {
  static const kette::OpLibrary library{"0.0.9", kette::kLayoutOfOps, nullptr, nullptr};
  return &library;
}
