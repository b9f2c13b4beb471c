// An HTTP/1.1 server: a thread for each connection, up to a limit, so that handlers are plain functions that may wait. Boost
// reads and writes the protocol; this has the limits of time and size, which every server on a network needs.
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
  std::string method{}, path{}, query{};  ///< "POST", "/translate", what stands behind "?"
  std::vector<std::pair<std::string, std::string>> headers{};  ///< names in small letters
  std::string body{};

  /// The first of this name, in small letters; empty if there is none.
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

/// What a handler has of a client. Used by one thread.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual const HttpRequest& request() const = 0;
  /// Throws ClientGone.
  virtual void check() const = 0;
  /// Once; throws ClientGone. Instead: a stream, of a head without a body and parts of it.
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
    std::uint16_t port = 0;               ///< 0: any that is free
    std::int64_t connections = 1024;      ///< at once; one more is answered 503
    std::uint32_t header_bytes = 8192;    ///< of a request: 431
    std::uint64_t body_bytes = 1U << 20;  ///< of a request: 413
    Seconds idle{60};                     ///< between requests
    Seconds header{5};                    ///< for the head of a request: 408
    double body_rate = 1024;  ///< bytes a second of a body, after the first seconds: 408
    Seconds stall{30};        ///< for a part of an answer to be read
  };
  using Handle = std::function<void(HttpExchange& exchange)>;
  /// Of what the server refuses by itself: an answer with this status, and why.
  using Refuse = std::function<HttpAnswer(int status, const std::string& why)>;

  /// Listens at once. An Error if it cannot, as when the port is taken.
  HttpServer(const Options& options, Handle handle, Refuse refuse);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::int64_t connections() const;
  /// Serves until stop(), then lets what has been asked be answered, for so long. May be called once.
  void run(Seconds grace);
  /// Of any thread.
  void stop();
  /// Whether stop() was called: connections then end with their answer.
  bool is_stopping() const { return is_stopping_; }

 private:
  class Connection;
  void accept_all();
  void refuse_connection(int socket) const;
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
