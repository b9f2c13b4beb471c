#include "serve/http_client.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

#include "tensor/error.h"
#include "tensor/stopwatch.h"

namespace kette {
namespace {

struct Url {
  std::string host, port = "80", path = "/ready";
};

Url parse_url(const std::string& url) {
  const std::string scheme = "http://";
  KETTE_CHECK(url.starts_with(scheme) && url.find_first_of(" \r\n\t") == std::string::npos,
              "check: expected http://HOST:PORT, given ", url);
  std::string rest = url.substr(scheme.size());
  Url parsed;
  if (const std::size_t slash = rest.find('/'); slash != std::string::npos) {
    if (slash + 1 < rest.size()) parsed.path = rest.substr(slash);
    rest.resize(slash);
  }
  // An IPv6 address contains colons, so it is in brackets.
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : std::string::npos;
  const std::size_t colon = rest.find(':', bracket == std::string::npos ? 0 : bracket);
  if (colon != std::string::npos) parsed.port = rest.substr(colon + 1);
  parsed.host = bracket == std::string::npos ? rest.substr(0, colon) : rest.substr(1, bracket - 1);
  KETTE_CHECK(!parsed.host.empty() && !parsed.port.empty(),
              "check: expected http://HOST:PORT, given ", url);
  return parsed;
}

class Socket {
 public:
  explicit Socket(const addrinfo& address)
      : handle_(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
  ~Socket() {
    if (handle_ >= 0) ::close(handle_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int handle() const { return handle_; }

 private:
  int handle_;
};

/// Whether the socket becomes ready to read or write in time.
bool wait_for(int socket, short what, const Stopwatch& watch, double seconds) {
  pollfd one{socket, what, 0};
  const double left = std::max(0.0, seconds - watch.seconds());
  return ::poll(&one, 1, static_cast<int>(std::ceil(1000 * left))) > 0;
}

}  // namespace

int http_status(const std::string& url, double seconds) {
  const Url asked = parse_url(url);
  const Stopwatch watch;
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const int fault = ::getaddrinfo(asked.host.c_str(), asked.port.c_str(), &hints, &found);
  KETTE_CHECK(fault == 0, "check: expected a server at ", url, ", given: ", ::gai_strerror(fault));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
  std::string why = "no answer in time";
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    const Socket socket(*address);
    const int handle = socket.handle();
    if (handle < 0) continue;
    if (::connect(handle, address->ai_addr, address->ai_addrlen) != 0 && errno != EINPROGRESS) {
      why = std::strerror(errno);
      continue;
    }
    if (!wait_for(handle, POLLOUT, watch, seconds)) continue;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(handle, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      why = std::strerror(error);
      continue;
    }
    const std::string request =
        "GET " + asked.path + " HTTP/1.0\r\nHost: " + asked.host + "\r\n\r\n";
    if (::send(handle, request.data(), request.size(), MSG_NOSIGNAL) < 0) continue;
    std::string head;  // such as HTTP/1.1 200
    char bytes[64];
    while (head.size() < 12 && wait_for(handle, POLLIN, watch, seconds)) {
      const ssize_t count = ::recv(handle, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      head.append(bytes, static_cast<std::size_t>(count));
    }
    int status = 0;
    if (head.size() >= 12 && head.starts_with("HTTP/1.")) {
      std::from_chars(head.data() + 9, head.data() + 12, status);
    }
    if (status > 0) return status;
    why = head.empty() ? "no answer in time" : "an answer that is not HTTP";
  }
  fail("check: expected a server at ", url, ", given: ", why);
}

}  // namespace kette
