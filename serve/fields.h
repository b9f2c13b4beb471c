// The named fields of a request, from JSON or from a form, checked against their limits. An error is
// the client's fault. It says what was expected and what was given.
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
  std::string message, field;  ///< field: the wrong one; may be empty
  double retry_after = 1;      ///< seconds; only for 429 and 503
};

class Fields {
 public:
  /// Reads the body of a request; of a form also the query. An ApiError (400, 415) for any other body.
  explicit Fields(const HttpRequest& request, bool takes_forms = true);

  bool has(const std::string& name) const;
  std::string text(const std::string& name, const std::string& otherwise);
  /// A string, or a list of them. is_list: whether it was one.
  std::vector<std::string> texts(const std::string& name, bool& is_list);
  /// If it is missing: `otherwise`, or the nearest number that the limits allow.
  std::int64_t whole(const std::string& name, std::int64_t otherwise, std::int64_t least,
                     std::int64_t most);
  double number(const std::string& name, double otherwise, double least, double most);
  bool flag(const std::string& name, bool otherwise);
  std::string choice(const std::string& name, const std::string& otherwise,
                     const std::vector<std::string>& choices);
  /// The JSON value; of a form a string. Null if it is missing.
  const Json& value(const std::string& name);
  /// Fields that clients send but that have no effect here.
  void ignore(const std::vector<std::string>& names);
  /// An ApiError for the first field that was not read.
  void check_all_known() const;

 private:
  bool is_empty_text(const Json& given) const;

  Json json_ = Json::object();
  bool is_form_ = false;
  std::set<std::string> known_;
};

/// Decodes percent-encoding: "a%20b" -> "a b". An ApiError if it is malformed.
std::string percent_decoded(std::string_view text);
/// Parses "a=1&b=%20" into pairs. An ApiError if it is malformed.
std::vector<std::pair<std::string, std::string>> form_fields(std::string_view text);
/// The JSON text of an answer. Invalid UTF-8 is replaced.
std::string dumped(const Json& json);

}  // namespace kette
