// A request of a test's own, and what it is answered, without sockets.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "serve/http_server.h"

namespace kette::testing {

class RecordedExchange final : public HttpExchange {
 public:
  explicit RecordedExchange(HttpRequest request) : request_(std::move(request)) {}

  const HttpRequest& request() const override { return request_; }
  void check() const override {
    if (is_gone) throw ClientGone();
  }
  void answer(const HttpAnswer& answer) override { begin(answer, false); }
  void begin_stream(const HttpAnswer& head) override { begin(head, true); }
  void write(std::string_view part) override {
    require(is_stream && !has_ended, "a part of a stream");
    given.body += part;
    ++parts;
  }
  void end_stream() override {
    require(is_stream && !has_ended, "the end of a stream");
    has_ended = true;
  }

  HttpAnswer given;  ///< of a stream: all of it
  int parts = 0;
  bool is_answered = false, is_stream = false, has_ended = false;
  bool is_gone = false;  ///< the client

 private:
  static void require(bool condition, const char* what) {
    if (!condition) throw std::logic_error(std::string("expected no ") + what);
  }
  void begin(const HttpAnswer& answer, bool streams) {
    require(!is_answered, "second answer");
    is_answered = true;
    is_stream = streams;
    given = answer;
  }

  HttpRequest request_;
};

}  // namespace kette::testing
