#include "cli/sentences.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/host.h"
#include "data/corpora/text_facts.h"
#include "data/files/visible_text.h"
#include "decode/sentence_mending.h"
#include "inspect/report/text.h"
#include "models/average.h"
#include "tensor/stopwatch.h"

namespace kette::cli {

namespace fs = std::filesystem;

bool is_stdin(const fs::path& file) { return file.empty() || file == "-"; }

LineReader open_sentences(const fs::path& file, FaultyLines faulty) {
  return is_stdin(file) ? LineReader(stdin_descriptor(), "stdin", kSentence, faulty)
                        : LineReader(file, kSentence, faulty);
}

void check_output(const fs::path& file, const std::vector<fs::path>& read) {
  for (const fs::path& one : read) {
    std::error_code nothing;  // a file that is not there yet is no other one
    if (!fs::is_regular_file(file, nothing)) break;
    const bool is_read = fs::equivalent(file, is_stdin(one) ? "/dev/stdin" : one, nothing);
    KETTE_CHECK(!is_read, file.string(),
                ": expected another file than the one that is read, given the same");
    const fs::path folder = fs::canonical(file).parent_path();
    const bool is_of_model = fs::equivalent(folder, one, nothing) ||
                             fs::equivalent(folder, one / kCheckpointFolder, nothing);
    KETTE_CHECK(!is_of_model, file.string(), ": expected a new file, or one elsewhere than in ",
                one.string(), ", the model that is read, given one that is there");
  }
}

Sink::Sink(const fs::path& file, const std::vector<fs::path>& read) {
  if (file.empty() || file == "-") return;
  name_ = file.string();
  check_output(file, read);
  std::error_code nothing;
  const bool is_there = fs::exists(file, nothing);
  if (!is_there || fs::is_regular_file(file, nothing)) {
    target_ = fs::weakly_canonical(file, nothing);  // behind links
    unfinished_ = target_;
    unfinished_ += ".kette-unfinished";
    file_.open(unfinished_, std::ios::binary | std::ios::trunc);
    if (file_.good() && is_there) {
      fs::permissions(unfinished_, fs::status(target_, nothing).permissions(), nothing);
    }
  }
  if (!file_.is_open()) {  // a device, or a folder that takes no new file
    unfinished_.clear();
    file_.open(file, std::ios::binary);
  }
  check("a file that can be written");
}

Sink::Sink(Sink&& other) noexcept
    : name_(std::exchange(other.name_, {})),
      target_(std::move(other.target_)),
      unfinished_(std::exchange(other.unfinished_, {})),
      file_(std::move(other.file_)),
      is_empty_(other.is_empty_) {}

Sink::~Sink() {
  if (unfinished_.empty()) return;
  std::error_code nothing;
  if (is_empty_) {
    fs::remove(unfinished_, nothing);
  } else {
    to_stderr() << "kette: " << visible(unfinished_.string()) << " has what was done until then\n";
  }
}

void Sink::write(const std::string& text) {
  std::ostream& stream = name_.empty() ? to_stdout() : file_;
  stream << (name_.empty() ? for_stdout(text) : text) << std::flush;
  if (!stream.good()) check("room for all of the output");
  is_empty_ = is_empty_ && text.empty();
}

void Sink::finish() {
  if (unfinished_.empty()) return;
  file_.close();
  check("room for all of the output");
  std::error_code error;
  fs::rename(unfinished_, target_, error);
  KETTE_CHECK(!error, name_, ": expected a file that can be replaced, given one that cannot (",
              error.message(), "; ", unfinished_.string(), " has all of the output)");
  unfinished_.clear();
}

void Sink::check(const char* expected) {
  const bool good = name_.empty() ? to_stdout().good() : file_.good();
  KETTE_CHECK(good, name_.empty() ? "standard output" : name_, ": expected ", expected,
              ", given none (", std::strerror(errno), ")");
}

namespace {

/// Nothing, if there is nothing to say.
void say(const std::string& name, const std::string& text) {
  if (!text.empty()) to_stderr() << "kette: " << visible(name + ": " + text) << "\n";
}

}  // namespace

void say_unknown(const UnknownCharacters& unknown, const std::string& name) {
  say(name, unknown.text());
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

void say_marks(const MarksInText& marks, const std::string& name) { say(name, marks.text()); }

void say_strange_case(const std::string& model, const std::vector<std::string_view>& lines,
                      const std::string& name) {
  const std::string text = strange_case(lines, load_text_facts(model));
  if (text.empty()) return;
  say(name,
      text +
          ": the model gets them so (kette translate writes them as it knows them, but for --no-mend, --n-best and --prefix)");
}

void LeftOut::say(const std::string& fault) {
  constexpr std::int64_t kMost = 20;
  if (++count_ <= kMost) to_stderr() << "kette: " << visible(fault) << "\n";
}

std::int64_t LeftOut::say_all(std::int64_t lines, const std::string& what) const {
  if (count_ > 0) {
    to_stderr() << "kette: " << with_commas(count_) << " of " << with_commas(lines)
                << " lines are not " << what << "\n";
  }
  return count_;
}

SentenceProgress DecodingProgress::next_part(double share) {
  constexpr double kLong = 2;  // seconds
  const std::int64_t sentences = sentences_;
  const double from = share_, seconds = seconds_;
  share_ = share;
  return [this, sentences, from, seconds, watch = Stopwatch()](std::int64_t done,
                                                               std::int64_t total) {
    sentences_ = sentences + done;
    seconds_ = seconds + watch.seconds();
    if (seconds_ < kLong) return;
    const double behind =
        from + (share_ - from) * static_cast<double>(done) / static_cast<double>(total);
    const auto left = behind > 0 ? std::optional(seconds_ * (1 - behind) / behind) : std::nullopt;
    line_.show(
        behind,
        [&] {
          return text("%lld sentences  %.1f a second", static_cast<long long>(sentences_),
                      static_cast<double>(sentences_) / seconds_);
        },
        left);
  };
}

}  // namespace kette::cli
