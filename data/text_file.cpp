#include "data/text_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "data/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void fail_on_byte(const std::string& name, std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  char byte[5];
  std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned char>(text[at]));
  fail(name, ":", line, ":", at - line_start + 1, ": expected UTF-8, given the byte ", byte,
       " (convert the file first, for example with iconv -f ISO-8859-1 -t UTF-8)");
}

/// A file read through zlib, which passes plain content on as it is.
class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path)
      : path_(path), file_(gzopen(path.c_str(), "rb")) {
    KETTE_CHECK(file_ != nullptr, path.string(),
                ": expected a readable file, given one that is not (", std::strerror(errno), ")");
    gzbuffer(file_, 1 << 18);
  }
  ~GzipFile() { gzclose(file_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  std::string content() {
    std::string content;
    std::string chunk(1 << 20, '\0');
    int count = 0;
    while ((count = gzread(file_, chunk.data(), static_cast<unsigned>(chunk.size()))) > 0) {
      content.append(chunk, 0, static_cast<std::size_t>(count));
    }
    check(content);
    return content;
  }

 private:
  void check(const std::string& content) {
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    if (code == Z_ERRNO) {
      fail(path_.string(), ": expected a readable file, given one that is not (",
           std::strerror(errno), ")");
    }
    if (code == Z_BUF_ERROR) {
      const auto line = std::count(content.begin(), content.end(), '\n') + 1;
      fail(path_.string(), ":", line,
           ": expected a whole gzip file, given one that ends in this line",
           " (it is truncated: copy or download it again)");
    }
    fail(path_.string(), ": expected a sound gzip file, given a damaged one (", message,
         "; copy or download it again)");
  }

  std::filesystem::path path_;
  gzFile file_;
};

}  // namespace

TextLines::TextLines(std::string content, const std::string& name)
    : content_(std::make_shared<const std::string>(std::move(content))) {
  std::string_view text = *content_;
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

std::string read_text(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  KETTE_CHECK(std::filesystem::exists(status), path.string(),
              ": expected a text file, given a path where there is none");
  KETTE_CHECK(!std::filesystem::is_directory(status), path.string(),
              ": expected a text file, given a directory");
  return GzipFile(path).content();
}

TextLines read_lines(const std::filesystem::path& path) {
  TextLines lines(read_text(path), path.string());
  KETTE_CHECK(!lines.empty(), path.string(), ": expected at least one line, given an empty file");
  return lines;
}

}  // namespace kette
