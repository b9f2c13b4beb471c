// Checks whether a server is healthy, for containers and supervisors (kette serve --check).
#pragma once

#include <string>

namespace kette {

/// The HTTP status of GET url, such as 200. url: http://HOST[:PORT][/PATH]; without a path: /ready. An
/// Error if the URL has another form, or if there is no answer in time.
int http_status(const std::string& url, double seconds);

}  // namespace kette
