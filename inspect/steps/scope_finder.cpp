#include "inspect/steps/scope_finder.h"

#include <algorithm>

#include "nn/points.h"

namespace kette {
namespace {

std::string parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(0, slash);
}

/// The parts that two paths begin with.
std::string in_common(const std::string& a, const std::string& b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i <= most; ++i) {
    const bool a_ends = i == a.size() || a[i] == '/', b_ends = i == b.size() || b[i] == '/';
    if (a_ends && b_ends) end = i;
    if (i == most || a[i] != b[i]) break;
  }
  return a.substr(0, end);
}

}  // namespace

std::size_t ScopeFinder::ran(std::span<const Variable* const> inputs) {
  std::string scope;
  bool is_first = true;
  for (const Variable* input : inputs) {
    if (!input->leaf()) continue;
    const std::string of_leaf = parent(input->leaf()->name);
    scope = is_first ? of_leaf : in_common(scope, of_leaf);
    is_first = false;
  }
  scopes_.push_back(std::move(scope));
  return scopes_.size() - 1;
}

bool ScopeFinder::wants(const std::string& point) const {
  // The one point that is asked for before there is a value.
  if (points::probabilities.names(point)) return false;
  for (; known_ < scopes_.size(); ++known_) {
    std::string& scope = scopes_[known_];
    const std::string common = in_common(scope, point);
    scope = common.empty() ? point : common;
  }
  return false;
}

void ScopeFinder::end_of_stretch() { known_ = scopes_.size(); }

std::string folded(const std::string& path, std::int64_t parts) {
  std::size_t end = 0;
  for (; parts > 0; --parts) {
    end = path.find('/', end + (end > 0 ? 1 : 0));
    if (end == std::string::npos) return path;
  }
  return end == 0 ? path : path.substr(0, end);
}

}  // namespace kette
