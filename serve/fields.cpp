#include "serve/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "data/files/utf8.h"
#include "tensor/read_number.h"
#include "tensor/shortest.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

const Json kNull;

[[noreturn]] void wrong(const std::string& name, const std::string& expected, const Json& given) {
  std::string text = dumped(given);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw ApiError(400, name + ": expected " + expected + ", given " + as_line(text), name);
}

std::string range(double least, double most) {
  return "from " + shortest(least) + " to " + shortest(most);
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Decodes a field of a form, in which + is a space.
std::string decoded(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), '+', ' ');
  return percent_decoded(plain);
}

void check_utf8(const std::string& name, const std::string& text) {
  if (first_invalid_utf8(text) != std::string::npos) {
    throw ApiError(400, name + ": expected text in UTF-8, given bytes that are none", name);
  }
}

}  // namespace

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string percent_decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1,
              low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      throw ApiError(400, "expected two hexadecimal digits behind each %, given others");
    }
    plain += static_cast<char>(16 * high + low);
    i += 2;
  }
  return plain;
}

std::vector<std::pair<std::string, std::string>> form_fields(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view field = text.substr(0, end);
    const std::size_t equals = std::min(field.find('='), field.size());
    if (!field.empty()) {
      fields.emplace_back(decoded(field.substr(0, equals)),
                          equals < field.size() ? decoded(field.substr(equals + 1)) : "");
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

Fields::Fields(const HttpRequest& request, bool takes_forms) {
  const std::string type = request.header("content-type");
  const bool is_json = type.find("json") != std::string::npos;
  is_form_ = !is_json;
  if (is_json) {
    try {
      json_ = parse_json(request.body, "request");
    } catch (const Error& error) {
      throw ApiError(400, error.what());
    }
    if (!json_.is_object()) throw ApiError(400, "expected a JSON object, given another text");
    return;
  }
  const bool is_form =
      type.empty() || type.find("application/x-www-form-urlencoded") != std::string::npos;
  if (!is_form || !takes_forms) {
    throw ApiError(415, std::string("expected application/json") +
                            (takes_forms ? " or a form" : "") + ", given " +
                            (type.empty() ? "none" : as_line(type)));
  }
  for (const std::string_view part :
       {std::string_view(request.query), std::string_view(request.body)}) {
    for (auto& [name, value] : form_fields(part)) {
      Json& field = json_[name];
      if (field.is_null()) {
        field = std::move(value);
        continue;
      }
      if (!field.is_array()) field = Json::array({field});
      field.push_back(std::move(value));
    }
  }
}

bool Fields::has(const std::string& name) const {
  const auto found = json_.find(name);
  return found != json_.end() && !found->is_null();
}

const Json& Fields::value(const std::string& name) {
  known_.insert(name);
  const auto found = json_.find(name);
  return found == json_.end() ? kNull : *found;
}

std::string Fields::text(const std::string& name, const std::string& otherwise) {
  const Json& given = value(name);
  if (given.is_null()) return otherwise;
  if (!given.is_string()) wrong(name, "a string", given);
  std::string text = given;
  check_utf8(name, text);
  return text;
}

std::vector<std::string> Fields::texts(const std::string& name, bool& is_list) {
  const Json& given = value(name);
  is_list = given.is_array();
  if (given.is_null()) throw ApiError(400, name + ": expected a text, given none", name);
  std::vector<std::string> texts;
  for (const Json& one : is_list ? given : Json::array({given})) {
    if (!one.is_string()) wrong(name, "a string or a list of strings", one);
    check_utf8(name, texts.emplace_back(one));
  }
  return texts;
}

std::int64_t Fields::whole(const std::string& name, std::int64_t otherwise, std::int64_t least,
                           std::int64_t most) {
  Json exact = value(name);
  if (is_form_ && exact.is_string()) {
    const std::string text = exact;
    std::int64_t read = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (error == std::errc{} && end == text.data() + text.size()) exact = read;
  }
  if (exact.is_number_integer()) {
    // As an integer, because a double cannot represent all 64-bit integers.
    const bool is_huge = exact.is_number_unsigned() && exact.get<std::uint64_t>() > INT64_MAX;
    const auto whole = exact.get<std::int64_t>();
    if (is_huge || whole < least || whole > most) {
      wrong(name, "a number " + range(static_cast<double>(least), static_cast<double>(most)),
            exact);
    }
    return whole;
  }
  const double given = number(name, static_cast<double>(otherwise), static_cast<double>(least),
                              static_cast<double>(most));
  if (given != std::floor(given)) wrong(name, "a whole number", value(name));
  return static_cast<std::int64_t>(given);
}

/// As forms send a field that is not filled in.
bool Fields::is_empty_text(const Json& given) const {
  return is_form_ && given.is_string() && given.get_ref<const std::string&>().empty();
}

double Fields::number(const std::string& name, double otherwise, double least, double most) {
  const Json& given = value(name);
  if (given.is_null() || is_empty_text(given)) return std::clamp(otherwise, least, most);
  double read = NAN;
  if (given.is_number()) {
    read = given;
  } else if (is_form_ && given.is_string()) {
    const std::string text = given;
    const auto [end, error] = read_number(text.data(), text.data() + text.size(), read);
    if (error != std::errc{} || end != text.data() + text.size()) read = NAN;
  }
  if (!(read >= least && read <= most)) wrong(name, "a number " + range(least, most), given);
  return read;
}

bool Fields::flag(const std::string& name, bool otherwise) {
  const Json& given = value(name);
  if (given.is_null()) return otherwise;
  if (given.is_boolean()) return given;
  if (is_form_ && (given == "true" || given == "1")) return true;
  if (is_form_ && (given == "false" || given == "0" || is_empty_text(given))) return false;
  wrong(name, "true or false", given);
}

std::string Fields::choice(const std::string& name, const std::string& otherwise,
                           const std::vector<std::string>& choices) {
  const std::string given = text(name, otherwise);
  if (std::find(choices.begin(), choices.end(), given) != choices.end()) return given;
  wrong(name, "one of " + joined(choices), Json(given));
}

void Fields::ignore(const std::vector<std::string>& names) {
  known_.insert(names.begin(), names.end());
}

void Fields::check_all_known() const {
  for (const auto& [name, value] : json_.items()) {
    if (known_.contains(name)) continue;
    const std::vector<std::string> all(known_.begin(), known_.end());
    const std::string shown = as_line(name.substr(0, 60));
    throw ApiError(400,
                   shown + ": expected one of " + joined(all) + ", given another field" +
                       did_you_mean(shown, all),
                   shown);
  }
}

}  // namespace kette
