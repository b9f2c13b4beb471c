// An op as a value: what the table of ops (all_ops.h) and libraries of ops (op_library.h) say of it. It is read from the
// members of the op's struct, of which record.h has the list.
#pragma once

#include <string>
#include <vector>

#include "autograd/sample.h"
#include "tensor/op_name.h"

namespace kette {

struct OpInfo {
  std::string name, formula;
  /// As it is called in Python, and what it does: shapes, source. For ops outside of Kette perhaps "".
  std::string signature, about;
  std::string source;  ///< "autograd/ops/softmax.h:11", or "" if its name is no OpName
  std::vector<Sample> samples;
};

namespace detail {

template <class Op>
OpInfo info_of() {
  OpInfo info;
  info.name = static_cast<const char*>(Op::name);
  info.samples = Op::samples();
  if constexpr (requires { Op::formula; }) info.formula = Op::formula;
  if constexpr (requires { Op::signature(); }) {
    info.signature = Op::signature();
  } else if constexpr (requires { Op::signature; }) {
    info.signature = Op::signature;
  }
  if constexpr (requires { Op::about; }) info.about = Op::about;
  if constexpr (requires { Op::name.line(); }) {
    info.source = std::string(Op::name.file()) + ":" + std::to_string(Op::name.line());
  }
  return info;
}

}  // namespace detail

template <class... Op>
std::vector<OpInfo> op_infos() {
  return {detail::info_of<Op>()...};
}

}  // namespace kette
