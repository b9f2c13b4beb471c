// The HTTP server on a loopback port, spoken to byte by byte.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "serve/http_server.h"
#include "tests/data/tiny_text.h"
#include "tests/serve/room_for_threads.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;
using namespace std::chrono_literals;

namespace {

/// A server that runs beside the test, and ends with it.
class Running {
 public:
  explicit Running(HttpServer::Handle handle, HttpServer::Options options = {})
      : server_(options, std::move(handle),
                [](int status, const std::string& why) {
                  return HttpAnswer{.status = status, .type = "text/plain", .body = why};
                }),
        thread_([this] { server_.run(HttpServer::Seconds(2)); }) {}
  ~Running() {
    server_.stop();
    thread_.join();
  }
  HttpServer& server() { return server_; }

 private:
  HttpServer server_;
  std::thread thread_;
};

class Client {
 public:
  explicit Client(const HttpServer& server) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(server.port());
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0);
    const timeval most{5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const {
    [[maybe_unused]] const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  /// Until this has come, or the end.
  std::string read_until(const std::string& wanted) const {
    std::string all;
    char part[4096];
    while (all.find(wanted) == std::string::npos) {
      const ssize_t count = ::recv(socket_, part, sizeof part, 0);
      if (count <= 0) break;
      all.append(part, static_cast<std::size_t>(count));
    }
    return all;
  }
  std::string read_all() const { return read_until("no such text"); }

 private:
  int socket_;
};

void echo(HttpExchange& exchange) {
  const HttpRequest& request = exchange.request();
  exchange.answer({.type = "text/plain",
                   .body = request.method + " " + request.path + " " + request.query + " " +
                           request.header("x-thing") + " <" + request.body + ">"});
}

}  // namespace

TEST_CASE("http: requests of one connection are answered one after the other") {
  Running running(echo);
  const Client client(running.server());
  client.send("GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-Thing: 7\r\n\r\n");
  const std::string first = client.read_until(">");
  CHECK(first.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(contains(first, "GET /a b=c 7 <>"));
  client.send("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe");
  client.send("llo");
  CHECK(contains(client.read_until(">"), "POST /p   <hello>"));
  client.send(
      "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  CHECK(contains(client.read_until(">"), "<abc>"));
  client.send("HEAD /h HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string head = client.read_all();
  CHECK(contains(head, "Content-Length: 12"));
  CHECK(head.ends_with("\r\n\r\n"));
}

TEST_CASE("http: what is no request, too long or too slow is refused, and others are served") {
  Running running(echo, {.header_bytes = 500, .body_bytes = 100, .header = 300ms});
  const auto answer = [&](const std::string& bytes) {
    const Client client(running.server());
    client.send(bytes);
    return client.read_all();
  };
  CHECK(answer("nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
  CHECK(answer("GET / HTTP/1.1\r\nX: " + std::string(600, 'x') + "\r\n\r\n")
            .starts_with("HTTP/1.1 431"));
  const std::string long_one = answer("POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n");
  CHECK(long_one.starts_with("HTTP/1.1 413"));
  CHECK(contains(long_one, "expected a body of at most 100 bytes, given a longer one"));
  CHECK(answer("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n70\r\n" +
               std::string(112, 'x') + "\r\n0\r\n\r\n")
            .starts_with("HTTP/1.1 413"));
  CHECK(answer("GET / HTT").starts_with("HTTP/1.1 408"));
}

TEST_CASE("http: a stream comes in parts, and a client that goes is noticed") {
  std::atomic<bool> was_noticed = false;
  Running running([&](HttpExchange& exchange) {
    exchange.begin_stream({.type = "text/event-stream"});
    exchange.write("one");
    exchange.write("two");
    if (exchange.request().path == "/short") return exchange.end_stream();
    try {
      while (true) {
        exchange.check();
        std::this_thread::sleep_for(5ms);
      }
    } catch (const ClientGone&) {
      was_noticed = true;
      throw;
    }
  });
  {
    const Client client(running.server());
    client.send("GET /short HTTP/1.1\r\n\r\n");
    CHECK(contains(client.read_until("0\r\n\r\n"), "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"));
    client.send("GET /short HTTP/1.0\r\n\r\n");
    CHECK(client.read_all().ends_with("\r\n\r\nonetwo"));
  }
  {
    const Client client(running.server());
    client.send("GET /long HTTP/1.1\r\n\r\n");
    client.read_until("two");
  }
  for (int i = 0; i < 400 && !was_noticed; ++i) std::this_thread::sleep_for(5ms);
  CHECK(was_noticed);
}

TEST_CASE("http: connections are limited, ports are taken once, and the end waits for answers") {
  std::atomic<bool> may_answer = false;
  const auto slow = [&](HttpExchange& exchange) {
    while (!may_answer) std::this_thread::sleep_for(1ms);
    echo(exchange);
  };
  auto running = std::make_unique<Running>(slow, HttpServer::Options{.connections = 1});
  HttpServer::Options taken;
  taken.port = running->server().port();
  CHECK(
      contains(message_of([&] { HttpServer(taken, echo, {}); }), "another program listens there"));
  const Client client(running->server());
  client.send("GET / HTTP/1.1\r\n\r\n");
  while (running->server().connections() == 0) std::this_thread::sleep_for(1ms);
  const Client other(running->server());
  CHECK(other.read_all().starts_with("HTTP/1.1 503"));
  running->server().stop();
  std::this_thread::sleep_for(20ms);
  may_answer = true;
  const std::string answer = client.read_all();
  CHECK(answer.starts_with("HTTP/1.1 200"));
  CHECK(contains(answer, "Connection: close"));
  running.reset();
}

TEST_CASE("http: while it ends, new clients are told so, and may ask whether it is ready") {
  std::atomic<bool> may_answer = false;
  const auto handle = [&](HttpExchange& exchange) {
    if (exchange.request().path == "/ready") return exchange.answer({.status = 503, .body = "no"});
    while (!may_answer) std::this_thread::sleep_for(1ms);
    echo(exchange);
  };
  Running running(handle, {.while_stopping = {"/ready"}});
  const Client client(running.server());
  client.send("GET /slow HTTP/1.1\r\n\r\n");
  while (running.server().connections() == 0) std::this_thread::sleep_for(1ms);
  running.server().stop();
  std::this_thread::sleep_for(50ms);  // clients that come before it looks are served
  const auto answer = [&](const std::string& path) {
    const Client late(running.server());
    late.send("GET " + path + " HTTP/1.1\r\n\r\n");
    return late.read_all();
  };
  CHECK(answer("/ready").ends_with("no"));
  const std::string refused = answer("/other");
  CHECK(refused.starts_with("HTTP/1.1 503"));
  CHECK(contains(refused, "Connection: close"));
  CHECK(contains(refused, "expected a server that takes requests, given one that ends"));
  const Client silent(running.server());  // nobody waits for it
  may_answer = true;
  CHECK(contains(client.read_all(), "GET /slow"));
  CHECK(silent.read_all().empty());
}

TEST_CASE("http: a client for whom the system has no thread is refused, and the next one served") {
  Running running(echo);
  {
    const RoomForThreads none(0);
    if (kSanitizer || !none.is_limited()) return;
    const Client client(running.server());
    const std::string answer = client.read_all();
    CHECK(answer.starts_with("HTTP/1.1 503"));
    CHECK(contains(answer, "expected a thread for the connection, given none"));
  }
  const Client client(running.server());
  client.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(client.read_until(">").starts_with("HTTP/1.1 200"));
}

TEST_CASE("http: a fault of a handler is an answer") {
  Running running([](HttpExchange&) { throw std::runtime_error("a fault"); });
  const Client client(running.server());
  client.send("GET / HTTP/1.1\r\n\r\n");
  const std::string answer = client.read_all();
  CHECK(answer.starts_with("HTTP/1.1 500"));
  CHECK(answer.ends_with("a fault"));
}
