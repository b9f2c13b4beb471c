// What a request asks for by name, read with its limits: from JSON or from a form. What is wrong is the client's fault
// and says what was expected, and given.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "data/files/json_text.h"
#include "serve/http_server.h"

namespace kette {

/// The answer to a request that cannot be served.
class ApiError : public std::exception {
 public:
  ApiError(int with_status, std::string why, std::string which = {})
      : status(with_status), message(std::move(why)), field(std::move(which)) {}
  const char* what() const noexcept override { return message.c_str(); }

  int status;
  std::string message, field;  ///< field: which one is wrong; or none
  double retry_after = 1;      ///< seconds, where the same request may be served later: 429, 503
};

class Fields {
 public:
  /// The body of a request, and for a form the query, too. An ApiError (400, 415) for anything else.
  explicit Fields(const HttpRequest& request, bool takes_forms = true);

  bool has(const std::string& name) const;
  std::string text(const std::string& name, const std::string& otherwise);
  /// A string, or a list of them. is_list: whether it was one.
  std::vector<std::string> texts(const std::string& name, bool& is_list);
  std::int64_t whole(const std::string& name, std::int64_t otherwise, std::int64_t least,
                     std::int64_t most);
  double number(const std::string& name, double otherwise, double least, double most);
  bool flag(const std::string& name, bool otherwise);
  std::string choice(const std::string& name, const std::string& otherwise,
                     const std::vector<std::string>& choices);
  /// As it is in JSON; of a form a string. Null if it is not there.
  const Json& value(const std::string& name);
  /// Fields that clients send and that say nothing here.
  void ignore(const std::vector<std::string>& names);
  /// An ApiError for the first field that nobody has asked for.
  void check_all_known() const;

 private:
  bool is_empty_text(const Json& given) const;

  Json json_ = Json::object();
  bool is_form_ = false;
  std::set<std::string> known_;
};

/// "a%20b" as "a b"; an ApiError for what is no such text.
std::string percent_decoded(std::string_view text);
/// "a=1&b=%20" as pairs; an ApiError for what is no such text.
std::vector<std::pair<std::string, std::string>> form_fields(std::string_view text);
/// JSON as an answer has it: what is no UTF-8 is replaced.
std::string dumped(const Json& json);

}  // namespace kette
