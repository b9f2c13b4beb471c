// An HTTP/1.1 server. Each connection has a thread, up to a limit. So handlers are plain functions
// that may block. Boost reads and writes the protocol. This adds the limits of time and size that a
// server on a network needs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace kette {

struct HttpRequest {
  std::string method{}, path{}, query{};  ///< "POST", "/translate", the part after "?"
  std::vector<std::pair<std::string, std::string>> headers{};  ///< names in lower case
  std::string body{};

  /// The first header of this name (lower case); empty if there is none.
  std::string header(std::string_view name) const;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json", body{};
  std::vector<std::pair<std::string, std::string>> headers{};
};

/// The client is gone, or reads too slowly.
class ClientGone : public std::exception {
 public:
  const char* what() const noexcept override { return "the client is gone"; }
};

/// A handler's connection to its client. Used by one thread.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual const HttpRequest& request() const = 0;
  /// Throws ClientGone if the client is gone.
  virtual void check() const = 0;
  /// Sends the answer; at most once. Throws ClientGone. Or use a stream: first a head without a body,
  /// then parts of the body.
  virtual void answer(const HttpAnswer& answer) = 0;
  virtual void begin_stream(const HttpAnswer& head) = 0;
  virtual void write(std::string_view part) = 0;
  virtual void end_stream() = 0;
};

class HttpServer {
 public:
  using Seconds = std::chrono::duration<double>;
  struct Options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;               ///< 0: any free port
    std::int64_t connections = 1024;      ///< at the same time; more are answered 503
    std::uint32_t header_bytes = 8192;    ///< of a request: 431
    std::uint64_t body_bytes = 1U << 20;  ///< of a request: 413
    Seconds idle{60};                     ///< between requests
    Seconds header{5};                    ///< for the head of a request: 408
    double body_rate = 1024;  ///< least bytes per second of a body, after some seconds: 408
    Seconds stall{30};        ///< for the client to read a part of an answer
    /// Paths that new clients may still ask for after stop(); all else is answered 503.
    std::vector<std::string> while_stopping{};
  };
  using Handle = std::function<void(HttpExchange& exchange)>;
  /// The answer to a request that the server itself refuses, with this status and reason.
  using Refuse = std::function<HttpAnswer(int status, const std::string& why)>;

  /// Listens at once. An Error if it cannot, for example if the port is in use.
  HttpServer(const Options& options, Handle handle, Refuse refuse);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::int64_t connections() const;
  /// Serves until stop(). Then it answers the requests in progress, for at most this time, and until
  /// they have ended tells new clients that it ends. May be called once.
  void run(Seconds grace);
  /// May be called by any thread.
  void stop();
  /// Whether stop() was called: connections then end with their answer.
  bool is_stopping() const { return is_stopping_; }

 private:
  class Connection;
  void accept_all(bool is_late = false);
  void refuse_connection(int socket, const std::string& why) const;
  void forget_ended();

  Options options_;
  Handle handle_;
  Refuse refuse_;
  int listener_ = -1, wake_[2] = {-1, -1};
  std::uint16_t port_ = 0;
  std::atomic<bool> is_stopping_ = false;
  mutable std::mutex mutex_;
  std::condition_variable has_ended_;
  std::list<std::unique_ptr<Connection>> connections_;
};

}  // namespace kette
