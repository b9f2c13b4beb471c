#include "cli/sentences.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

#include "data/files/visible_text.h"
#include "models/average.h"
#include "tensor/stopwatch.h"

namespace kette::cli {

namespace fs = std::filesystem;

bool is_stdin(const fs::path& file) { return file.empty() || file == "-"; }

LineReader open_sentences(const fs::path& file, FaultyLines faulty) {
  return is_stdin(file) ? LineReader(STDIN_FILENO, "stdin", kSentence, faulty)
                        : LineReader(file, kSentence, faulty);
}

Sink::Sink(const fs::path& file, const std::vector<fs::path>& read) {
  if (file.empty() || file == "-") return;
  name_ = file.string();
  for (const fs::path& one : read) {
    std::error_code nothing;  // a file that is not there yet is no other one
    if (!fs::is_regular_file(file, nothing)) break;
    const bool is_read = fs::equivalent(file, is_stdin(one) ? "/dev/stdin" : one, nothing);
    KETTE_CHECK(!is_read, name_,
                ": expected another file than the one that is read, given the same");
    const fs::path folder = fs::canonical(file).parent_path();
    const bool is_of_model = fs::equivalent(folder, one, nothing) ||
                             fs::equivalent(folder, one / kCheckpointFolder, nothing);
    KETTE_CHECK(!is_of_model, name_, ": expected a new file, or one elsewhere than in ",
                one.string(), ", the model that is read, given one that is there");
  }
  std::error_code nothing;
  has_earlier_ = fs::is_regular_file(file, nothing);
  file_.open(file, std::ios::binary | (has_earlier_ ? std::ios::app : std::ios::trunc));
  check("a file that can be written");
}

void Sink::write(const std::string& text) {
  if (std::exchange(has_earlier_, false)) {
    file_.close();
    file_.open(name_, std::ios::binary | std::ios::trunc);
  }
  std::ostream& stream = name_.empty() ? std::cout : file_;
  stream << (name_.empty() ? for_stdout(text) : text) << std::flush;
  if (!stream.good()) check("room for all of the output");
}

void Sink::check(const char* expected) {
  const bool good = name_.empty() ? std::cout.good() : file_.good();
  KETTE_CHECK(good, name_.empty() ? "standard output" : name_, ": expected ", expected,
              ", given none (", std::strerror(errno), ")");
}

void say_unknown(const UnknownCharacters& unknown, const std::string& name) {
  const std::string text = unknown.text();
  if (!text.empty()) std::cerr << "kette: " << visible(name + ": " + text) << "\n";
}

void say_unknown(const SharedTokenizer& tokenizer, const std::vector<std::string_view>& lines,
                 const std::string& name, Side side) {
  UnknownCharacters unknown(tokenizer, side);
  unknown.add(lines);
  say_unknown(unknown, name);
  MarksInText marks(*tokenizer);
  for (const std::string_view line : lines) marks.add(line);
  say_marks(marks, name);
}

void say_marks(const MarksInText& marks, const std::string& name) {
  const std::string text = marks.text();
  if (!text.empty()) std::cerr << "kette: " << visible(name + ": " + text) << "\n";
}

SentenceProgress DecodingProgress::next_part(double share) {
  constexpr double kLong = 2;  // seconds
  const std::int64_t sentences = sentences_;
  const double from = share_, seconds = seconds_;
  share_ = share;
  return
      [this, sentences, from, seconds, watch = Stopwatch()](std::int64_t done, std::int64_t total) {
        sentences_ = sentences + done;
        seconds_ = seconds + watch.seconds();
        if (seconds_ < kLong) return;
        line_.show([&] {
          const double behind =
              from + (share_ - from) * static_cast<double>(done) / static_cast<double>(total);
          return text("%lld sentences  %.1f a second", static_cast<long long>(sentences_),
                      static_cast<double>(sentences_) / seconds_) +
                 time_left(seconds_, behind);
        });
      };
}

}  // namespace kette::cli
