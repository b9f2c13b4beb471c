#include "cli/sentences.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

namespace kette::cli {

LineReader open_sentences(const std::filesystem::path& file) {
  return file.empty() ? LineReader(STDIN_FILENO, "stdin", kSentence) : LineReader(file, kSentence);
}

Sink::Sink(const std::filesystem::path& file) {
  if (file.empty()) return;
  name_ = file.string();
  file_.open(file, std::ios::binary);
  check("a file that can be written");
}

void Sink::write(const std::string& text) {
  std::ostream& stream = name_.empty() ? std::cout : file_;
  stream << (name_.empty() ? for_stdout(text) : text) << std::flush;
  if (!stream.good()) check("room for all of the output");
}

void Sink::check(const char* expected) {
  const bool good = name_.empty() ? std::cout.good() : file_.good();
  KETTE_CHECK(good, name_.empty() ? "standard output" : name_, ": expected ", expected,
              ", given none (", std::strerror(errno), ")");
}

}  // namespace kette::cli
