// Asks a server whether it is well, for containers and supervisors (kette serve --check).
#pragma once

#include <string>

namespace kette {

/// The status of GET url, as 200. url: http://HOST[:PORT][/PATH]; without a path: /ready. An Error if the URL is of another kind,
/// or nobody answers within so many seconds.
int http_status(const std::string& url, double seconds);

}  // namespace kette
