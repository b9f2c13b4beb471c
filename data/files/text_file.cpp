#include "data/files/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "data/files/encoding.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

[[noreturn]] void fail_on_byte(const std::string& name, std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  fail(name, ":", line, ":", at - line_start + 1, ": ", expected_utf8(text, text[at]));
}

}  // namespace

TextLines::TextLines(std::string content, const std::string& name)
    : content_(std::make_shared<const std::string>(std::move(content))) {
  std::string_view text = *content_;
  check_not_utf16(text, name + ":1:1");
  const std::size_t invalid = first_invalid_utf8(text);
  if (invalid != std::string_view::npos) fail_on_byte(name, text, invalid);
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const bool carriage_return = end > 0 && text[end - 1] == '\r';
    lines_.push_back(text.substr(0, carriage_return ? end - 1 : end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string read_all(TextSource& source) {
  std::string content;
  while (source.append_to(content)) {
  }
  return content;
}

std::string read_text(const std::filesystem::path& path) {
  check_text_file(path);
  KETTE_CHECK(std::filesystem::is_regular_file(path), path.string(),
              ": expected a file, given a pipe or a device");
  TextSource source(path);
  return read_all(source);
}

std::string first_bytes(const std::filesystem::path& path, std::size_t most) {
  if (!std::filesystem::is_regular_file(path)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string bytes(most, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(most));
  KETTE_CHECK(file.is_open() && !file.bad(), path.string(),
              ": expected a file that can be read, given one that cannot (", std::strerror(errno),
              ")");
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

TextLines read_lines(const std::filesystem::path& path, const LineLimits& limits) {
  TextSource source(path, limits);
  TextLines lines(read_all(source), path.string());
  KETTE_CHECK(limits.may_be_empty || !lines.empty(), path.string(),
              ": expected at least one line, given an empty file");
  return lines;
}

TextLines read_lines(int descriptor, const std::string& name, const LineLimits& limits) {
  TextSource source(descriptor, name, limits);
  return TextLines(read_all(source), name);
}

}  // namespace kette
