#include "cli/version.h"

namespace kette::cli {

std::string full_version() {
  const std::string commit = built_commit();
  return KETTE_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

}  // namespace kette::cli
