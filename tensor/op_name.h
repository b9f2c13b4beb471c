// The name of an op or of an elementwise function, with the source line where it is defined.
#pragma once

#include <string_view>

namespace kette {

class OpName {
 public:
  constexpr OpName(const char* name,  // NOLINT(google-explicit-constructor): written as a string
                   const char* file = __builtin_FILE(), int line = __builtin_LINE())
      : name_(name), file_(file), line_(line) {}

  constexpr operator const char*() const { return name_; }  // NOLINT(google-explicit-constructor)
  /// Relative to the root of the source tree: "autograd/ops/softmax.h".
  constexpr std::string_view file() const {
    const std::string_view here = __FILE__, root = here.substr(0, here.size() - kHere.size()),
                           file = file_;
    return file.substr(0, root.size()) == root ? file.substr(root.size()) : file;
  }
  constexpr int line() const { return line_; }

 private:
  static constexpr std::string_view kHere = "tensor/op_name.h";

  const char* name_;
  const char* file_;
  int line_;
};

}  // namespace kette
