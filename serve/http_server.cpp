#include "serve/http_server.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "data/files/utf8.h"
#include "serve/timed_socket.h"
#include "tensor/error.h"

namespace kette {
namespace {

namespace http = boost::beast::http;
namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Seconds = HttpServer::Seconds;

Clock::time_point after(Seconds seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
}

HttpRequest request_of(http::request<http::string_body>&& message) {
  HttpRequest request;
  request.method = std::string(message.method_string());
  const std::string target(message.target());
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string::npos) request.query = target.substr(question + 1);
  for (const auto& field : message) {
    request.headers.emplace_back(lower_ascii(std::string(field.name_string())),
                                 std::string(field.value()));
  }
  request.body = std::move(message.body());
  return request;
}

}  // namespace

std::string HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

/// A client, and the thread that serves it.
class HttpServer::Connection final : public HttpExchange {
 public:
  /// is_late: it came after stop().
  Connection(HttpServer& server, int socket, bool is_late)
      : server_(server), socket_(socket), stream_(socket), is_late_(is_late) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Connection() override {
    if (thread_.joinable()) thread_.join();
    ::close(socket_);
  }

  void start() {
    thread_ = std::thread([this] {
      serve();
      ::shutdown(socket_, SHUT_RDWR);
      const std::lock_guard lock(server_.mutex_);
      has_ended_ = true;
      server_.has_ended_.notify_all();
    });
  }
  /// Call these with the server's mutex held.
  bool has_ended() const { return has_ended_; }
  bool is_late() const { return is_late_; }
  /// Ends it if it waits for another request. also_first: or for its first one.
  void stop_if_idle(bool also_first) {
    if (is_idle_ && (also_first || !is_first_)) ::shutdown(socket_, SHUT_RD);
  }
  void stop_at_once() {
    is_stopped_ = true;
    ::shutdown(socket_, SHUT_RDWR);
  }

  const HttpRequest& request() const override { return request_; }
  void check() const override {
    char byte = 0;
    const ssize_t count = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const bool waits = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    if (is_stopped_ || count == 0 || (count < 0 && !waits)) throw ClientGone();
  }
  void answer(const HttpAnswer& answer) override {
    http::response<http::string_body> message(head_of(answer));
    message.body() = answer.body;
    message.prepare_payload();
    if (request_.method == "HEAD") message.body().clear();
    is_answered_ = true;
    stream_.set_deadline(server_.options_.stall);
    error_code error;
    http::write(stream_, message, error);
    if (error) throw ClientGone();
  }
  void begin_stream(const HttpAnswer& head) override {
    http::response<http::empty_body> message(head_of(head));
    is_chunked_ = version_ >= 11;
    if (is_chunked_) {
      message.chunked(true);
    } else {
      keeps_alive_ = false;
    }
    is_answered_ = true;
    stream_.set_deadline(server_.options_.stall);
    error_code error;
    http::response_serializer<http::empty_body> serializer(message);
    http::write_header(stream_, serializer, error);
    if (error) throw ClientGone();
  }
  void write(std::string_view part) override {
    if (part.empty()) return;
    send(is_chunked_ ? hexadecimal_size(part.size()) + "\r\n" + std::string(part) + "\r\n"
                     : std::string(part));
  }
  void end_stream() override {
    if (is_chunked_) send("0\r\n\r\n");
  }

 private:
  static std::string hexadecimal_size(std::size_t size) {
    char text[2 * sizeof size + 1];
    std::snprintf(text, sizeof text, "%zx", size);
    return text;
  }

  http::response_header<> head_of(const HttpAnswer& answer) {
    http::response<http::empty_body> message;
    message.version(version_);
    message.result(static_cast<unsigned>(answer.status));
    message.set(http::field::server, "Kette");
    if (!answer.type.empty()) message.set(http::field::content_type, answer.type);
    for (const auto& [name, value] : answer.headers) message.set(name, value);
    keeps_alive_ = keeps_alive_ && !server_.is_stopping();
    message.keep_alive(keeps_alive_);
    return message.base();
  }

  void send(const std::string& bytes) {
    stream_.set_deadline(server_.options_.stall);
    error_code error;
    asio::write(stream_, asio::buffer(bytes), error);
    if (error) throw ClientGone();
  }

  void serve() {
    boost::beast::flat_buffer buffer;
    try {
      while (serve_one(buffer)) {
      }
    } catch (const ClientGone&) {  // no client is left to answer
    }
  }

  /// Returns whether another request may follow.
  bool serve_one(boost::beast::flat_buffer& buffer) {
    const Options& options = server_.options_;
    error_code error;
    if (buffer.size() == 0) {
      is_idle_ = true;
      // Requests that arrived before stop() are still answered.
      stream_.set_deadline(server_.is_stopping() && !is_first_ ? Seconds(0) : options.idle);
      buffer.commit(stream_.read_some(buffer.prepare(4096), error));
      is_idle_ = is_first_ = false;
      if (error) return false;
    }
    http::request_parser<http::string_body> parser;
    parser.header_limit(options.header_bytes);
    parser.body_limit(options.body_bytes);
    request_ = {};
    is_answered_ = is_chunked_ = false;
    keeps_alive_ = true;
    version_ = 11;
    stream_.set_deadline(options.header);
    http::read_header(stream_, buffer, parser, error);
    if (error) return refuse(error);
    version_ = std::min(parser.get().version(), 11U);
    if (boost::beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      send("HTTP/1.1 100 Continue\r\n\r\n");
    }
    const auto length = parser.content_length();
    const double bytes = static_cast<double>(length ? *length : options.body_bytes);
    stream_.set_deadline(options.header + Seconds(bytes / options.body_rate));
    http::read(stream_, buffer, parser, error);
    if (error) return refuse(error);
    keeps_alive_ = parser.get().keep_alive();
    request_ = request_of(parser.release());
    const auto& open = options.while_stopping;
    if (is_late_ && std::find(open.begin(), open.end(), request_.path) == open.end()) {
      answer(server_.refuse_(503, "expected a server that takes requests, given one that ends"));
      return false;
    }
    try {
      server_.handle_(*this);
    } catch (const ClientGone&) {
      throw;
    } catch (const std::exception& fault) {
      if (is_answered_) return false;
      answer(server_.refuse_(500, fault.what()));
      return false;
    }
    return keeps_alive_;
  }

  /// Answers a request that could not be read.
  bool refuse(const error_code& error) {
    if (error == http::error::end_of_stream || error == asio::error::eof ||
        error == http::error::partial_message ||
        (error.category() == boost::system::system_category() && error != asio::error::timed_out)) {
      return false;
    }
    keeps_alive_ = false;
    const Options& options = server_.options_;
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      answer(server_.refuse_(431, "expected at most " + std::to_string(options.header_bytes) +
                                      " bytes of headers, given more"));
    } else if (error == http::error::body_limit) {
      answer(server_.refuse_(413, "expected a body of at most " +
                                      std::to_string(options.body_bytes) +
                                      " bytes, given a longer one"));
    } else if (error == asio::error::timed_out) {
      answer(server_.refuse_(408, "expected the request sooner, given too little of it in time"));
    } else {
      answer(server_.refuse_(
          400, "expected an HTTP request, given another text (" + error.message() + ")"));
    }
    // Closing a socket with unread bytes loses the answer. So read on for a moment.
    ::shutdown(socket_, SHUT_WR);
    stream_.set_deadline(Seconds(1));
    char rest[4096];
    error_code end;
    for (int i = 0; i < 1024 && !end; ++i) stream_.read_some(asio::buffer(rest), end);
    return false;
  }

  HttpServer& server_;
  int socket_;
  TimedSocket stream_;
  const bool is_late_;
  std::thread thread_;
  bool has_ended_ = false;
  std::atomic<bool> is_idle_ = true, is_first_ = true, is_stopped_ = false;
  HttpRequest request_;
  unsigned version_ = 11;
  bool keeps_alive_ = true, is_answered_ = false, is_chunked_ = false;
};

HttpServer::HttpServer(const Options& options, Handle handle, Refuse refuse)
    : options_(options), handle_(std::move(handle)), refuse_(std::move(refuse)) {
  const std::string where = options.host + ":" + std::to_string(options.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int status =
      ::getaddrinfo(options.host.c_str(), std::to_string(options.port).c_str(), &hints, &found);
  KETTE_CHECK(status == 0, "serve: expected an address to listen at, given ", options.host, " (",
              ::gai_strerror(status), ")");
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
  listener_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool listens = listener_ >= 0 &&
                       ::bind(listener_, found->ai_addr, found->ai_addrlen) == 0 &&
                       ::listen(listener_, SOMAXCONN) == 0 && ::pipe2(wake_, O_CLOEXEC) == 0;
  if (!listens) {
    const int error = errno;
    ::close(listener_);
    fail(
        "serve: expected an address that is free, given ", where, " (", std::strerror(error),
        error == EADDRINUSE ? "; another program listens there: --port N takes another one)" : ")");
  }
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&own), &size);
  char port[NI_MAXSERV];
  ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, nullptr, 0, port, sizeof port,
                NI_NUMERICSERV);
  port_ = static_cast<std::uint16_t>(std::stoi(port));
}

HttpServer::~HttpServer() {
  for (const int one : {listener_, wake_[0], wake_[1]}) {
    if (one >= 0) ::close(one);
  }
}

std::int64_t HttpServer::connections() const {
  const std::lock_guard lock(mutex_);
  return std::count_if(connections_.begin(), connections_.end(),
                       [](const auto& one) { return !one->has_ended(); });
}

void HttpServer::stop() {
  is_stopping_ = true;
  [[maybe_unused]] const ssize_t written = ::write(wake_[1], "", 1);
}

void HttpServer::forget_ended() {
  std::list<std::unique_ptr<Connection>> ended;  // their threads are joined without the mutex
  const std::lock_guard lock(mutex_);
  for (auto one = connections_.begin(); one != connections_.end();) {
    const auto next = std::next(one);
    if ((*one)->has_ended()) ended.splice(ended.end(), connections_, one);
    one = next;
  }
}

/// Runs without a thread of its own. So it does not wait for the client to read.
void HttpServer::refuse_connection(int socket, const std::string& why) const {
  const HttpAnswer answer = refuse_(503, why);
  const std::string text =
      "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: " + answer.type +
      "\r\nRetry-After: 1\r\nContent-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n" +
      answer.body;
  [[maybe_unused]] const ssize_t sent =
      ::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_RDWR);
}

void HttpServer::accept_all(bool is_late) {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until others have closed
      }
      return;
    }
    auto connection = std::make_unique<Connection>(*this, socket, is_late);  // which closes it
    forget_ended();
    if (connections() >= options_.connections) {
      refuse_connection(socket, "expected at most " + std::to_string(options_.connections) +
                                    " connections at once, given one more");
      continue;
    }
    try {
      connection->start();
    } catch (const std::system_error&) {  // a limit of the system
      refuse_connection(socket,
                        "expected a thread for the connection, given none (try again later)");
      continue;
    }
    const std::lock_guard lock(mutex_);
    connections_.push_back(std::move(connection));
  }
}

void HttpServer::run(Seconds grace) {
  while (!is_stopping_) {
    pollfd both[2] = {{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    ::poll(both, 2, 1000);
    if ((both[0].revents & POLLIN) != 0) accept_all();
    forget_ended();
  }
  accept_all();  // those that arrived before stop()
  const auto have_ended = [&](bool also_late) {
    return std::all_of(connections_.begin(), connections_.end(), [&](const auto& one) {
      return one->has_ended() || (one->is_late() && !also_late);
    });
  };
  const Clock::time_point end = after(grace), first_end = after(std::min(grace, Seconds(1)));
  std::unique_lock lock(mutex_);
  // Repeated, because a connection may have answered and become idle since. A new client has a
  // second to send its request.
  while (!have_ended(false) && Clock::now() < end) {
    for (const auto& one : connections_) {
      one->stop_if_idle(!one->is_late() && Clock::now() >= first_end);
    }
    has_ended_.wait_for(lock, std::chrono::milliseconds(20), [&] { return have_ended(false); });
    lock.unlock();
    accept_all(true);
    forget_ended();
    lock.lock();
  }
  ::close(std::exchange(listener_, -1));
  for (const auto& one : connections_) one->stop_at_once();
  has_ended_.wait(lock, [&] { return have_ended(true); });
  lock.unlock();
  forget_ended();
}

}  // namespace kette
