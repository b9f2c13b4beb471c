// `kette translate`: lines in, translations out, in the same order, a part as soon as it is done.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/sentences.h"
#include "data/corpora/text_facts.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "data/sentences/likely_language.h"
#include "decode/text_translator.h"
#include "tensor/stopwatch.h"

namespace kette {
namespace cli {
namespace {

/// What becomes of a line that cannot be translated: it is not UTF-8, or too long.
enum class OnError : std::uint8_t { skip, copy, stop };
/// What of a line is translated at once: what the model's own text had in a line, all, or each sentence.
enum class Split : std::uint8_t { automatic, lines, sentences };

}  // namespace
}  // namespace cli

template <>
inline constexpr auto kNamesOf<cli::OnError> = enum_names<cli::OnError>(
    {{cli::OnError::skip, "skip"}, {cli::OnError::copy, "copy"}, {cli::OnError::stop, "stop"}});
template <>
inline constexpr auto kNamesOf<cli::Split> =
    enum_names<cli::Split>({{cli::Split::automatic, "auto"},
                            {cli::Split::lines, "lines"},
                            {cli::Split::sentences, "sentences"}});

}  // namespace kette

namespace kette::cli {
namespace {

struct TranslateCommandOptions {
  CommonOptions common;
  EnsembleOptions model;
  TextOptions translate;
  CandidateOptions candidates;
  std::vector<std::string> sentences;
  std::filesystem::path input, output, prefix;
  OnError on_error = OnError::skip;
  Split split = Split::automatic;
  std::string
      source_language;  ///< "": what the model's text was in, or what the lines seem to be in
};

/// What the translations begin with, line by line beside the sources; without a file nothing.
class Prefixes {
 public:
  explicit Prefixes(const std::filesystem::path& file) {
    if (!file.empty()) lines_.emplace(file, kSentence);
  }
  std::vector<std::string> next(std::size_t lines) {
    if (!lines_) return {};
    std::vector<std::string> part = lines_->next(lines);
    KETTE_CHECK(part.size() == lines, lines_->name(),
                ": expected as many lines as there are sentences, given fewer");
    return part;
  }
  void check_end() {
    KETTE_CHECK(!lines_ || lines_->next(1).empty(), lines_->name(),
                ": expected as many lines as there are sentences, given more");
  }

 private:
  std::optional<LineReader> lines_;
};

/// The lines to translate: those of the command line, of a file or of stdin.
class Source {
 public:
  explicit Source(const TranslateCommandOptions& o) : given_(o.sentences) {
    const FaultyLines faulty =
        o.on_error == OnError::stop ? FaultyLines::refused : FaultyLines::kept;
    if (given_.empty()) reader_.emplace(open_sentences(o.input, faulty));
  }
  /// None at the end.
  std::vector<std::string> next() {
    return reader_ ? reader_->next(kSentencesAtOnce) : std::exchange(given_, {});
  }
  /// Of the last part, what is wrong with which line.
  std::vector<LineFault> faults() const {
    return reader_ ? reader_->faults() : std::vector<LineFault>{};
  }
  std::string name() const { return reader_ ? reader_->name() : "sentence"; }
  std::int64_t first_line() const { return reader_ ? reader_->first_line() : 1; }
  double share() const { return reader_ ? reader_->share() : 1; }

 private:
  std::optional<LineReader> reader_;
  std::vector<std::string> given_;
};

/// Writes translations as they come, and counts.
class TranslationWriter {
 public:
  TranslationWriter(const TranslateCommandOptions& o, const Source& source, Sink& sink)
      : o_(o),
        source_(source),
        sink_(sink),
        lists_(o.translate.n_best > 1 && !o.translate.minimum_risk) {}

  void write(std::int64_t line, const std::string& source, const TranslatedText& translated) {
    ++lines_;
    if (!translated.fault.empty()) {
      const bool copies = o_.on_error == OnError::copy;
      say_fault(translated.fault);
      return sink_.write(lists_ ? row(std::to_string(line), copies ? source : "", 0)
                                : (copies ? source : "") + "\n");
    }
    sentences_ += std::ssize(translated.sentences);
    parted_ += translated.sentences.size() > 1 ? 1 : 0;
    std::string rows;
    for (std::size_t i = 0; i < translated.sentences.size(); ++i) {
      const TranslatedSentence& sentence = translated.sentences[i];
      const bool alone = translated.sentences.size() == 1;
      divided_ += sentence.divided ? 1 : 0;
      if (sentence.translation.truncated) {
        say(visible(source_.name()) + ":" + std::to_string(line) +
            ": cut, it is too long for the model");
      }
      const auto& n_best = sentence.translation.n_best;
      tokens_ += std::ssize(n_best.front().hypothesis.tokens);
      if (!lists_) continue;
      for (const Translation::Alternative& one : n_best) {
        rows += row(std::to_string(line) + (alone ? "" : "." + std::to_string(i + 1)), one.text,
                    one.hypothesis.score);
      }
    }
    if (lists_ && rows.empty()) rows = row(std::to_string(line), "", 0);
    sink_.write(lists_ ? rows : translated.text + "\n");
  }

  SentenceProgress progress() { return progress_.next_part(source_.share()); }
  void clear_progress() { progress_.clear(); }
  std::int64_t faults() const { return faults_; }

  /// What was done to lines that are not as the model knows them.
  void say_all() const {
    if (parted_ > 0) {
      std::cerr << "kette: " << with_commas(parted_) << " of " << with_commas(lines_)
                << " lines were translated in parts, " << with_commas(sentences_)
                << " in all (--split lines translates each whole)\n";
    }
    if (divided_ > 0) {
      std::cerr << "kette: " << with_commas(divided_)
                << " of the parts are of sentences that are too long for the model\n";
    }
    if (faults_ == 0) return;
    std::cerr << "kette: " << with_commas(faults_) << " of " << with_commas(lines_)
              << " lines are not translated: "
              << (o_.on_error == OnError::copy ? "the output has them as they were"
                                               : "the output has empty lines in their place")
              << " (--on-error)\n";
  }
  Json json() const {
    return {{"lines", lines_},
            {"faulty_lines", faults_},
            {"lines_in_parts", parted_},
            {"sentences", sentences_},
            {"target_tokens", tokens_}};
  }

 private:
  static constexpr std::int64_t kMostFaultsSaid = 20;

  static std::string row(const std::string& number, const std::string& text, double score) {
    return number + " ||| " + text + " ||| " + cli::text("%.6f", score) + "\n";
  }
  void say(const std::string& message) {
    progress_.clear();
    std::cerr << "kette: " << message << "\n";
  }
  void say_fault(const std::string& fault) {
    if (++faults_ <= kMostFaultsSaid) say(visible(fault));
  }

  const TranslateCommandOptions& o_;
  const Source& source_;
  Sink& sink_;
  bool lists_;
  DecodingProgress progress_;
  std::int64_t lines_ = 0, parted_ = 0, sentences_ = 0, divided_ = 0, tokens_ = 0, faults_ = 0;
};

/// Parts lines into sentences as the option says, and as the model has learnt them.
void split_as_asked(TranslateCommandOptions& o, const std::vector<std::string>& lines) {
  if (o.split == Split::lines) return;
  const std::optional<TextFacts> facts = load_text_facts(o.model.models.front());
  std::string language = o.source_language;
  if (language.empty() && facts) language = facts->source_language;
  if (language.empty()) language = likely_language({lines.begin(), lines.end()});
  o.translate.splitter =
      std::make_shared<const SentenceSplitter>(language.empty() ? "en" : language);
  if (o.split == Split::sentences || !facts) return;
  o.translate.together = facts->sentences;
  o.translate.together_tokens = facts->source_tokens;
}

void run(TranslateCommandOptions& o) {
  const int threads = use_threads(o.common);
  Source source(o);
  const LoadedEnsemble<Transformer> loaded = load<Transformer>(o.model);
  check_translates(*loaded.tokenizer, o.model.models.front());
  o.translate.shortlist = loaded.shortlist();
  check_width(o.translate, loaded.models);
  const Translator translator(loaded.models, loaded.tokenizer, loaded.types);
  loaded.release();
  std::vector<std::string> part = source.next();
  Prefixes prefixes(o.prefix);
  std::vector<std::filesystem::path> read = o.model.with({o.input});
  if (!o.prefix.empty()) read.push_back(o.prefix);
  // Now, so that input that is refused leaves an earlier output as it is.
  Sink sink(o.output, read);
  TranslationWriter writer(o, source, sink);
  split_as_asked(o, part);
  double seconds = 0;
  while (!part.empty()) {
    const Stopwatch watch;
    const std::int64_t first = source.first_line();
    const std::vector<std::string> beginnings = prefixes.next(part.size());
    o.translate.first_number = first - 1;
    std::vector<SourceText> texts(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
      texts[i].text = part[i];
      if (!beginnings.empty()) texts[i].prefix = beginnings[i];
    }
    for (const LineFault& fault : source.faults()) texts[fault.index].fault = fault.message;
    const auto take = [&](std::int64_t number, TranslatedText translated) {
      if (!translated.fault.empty() && texts[number].fault.empty()) {  // found only now
        translated.fault =
            source.name() + ":" + std::to_string(first + number) + ": " + translated.fault;
        if (o.on_error == OnError::stop) fail(translated.fault);
      }
      writer.write(first + number, part[number], translated);
    };
    const TextTranslator text_translator(translator, o.translate);
    text_translator.translate(texts, take, writer.progress());
    writer.clear_progress();
    seconds += watch.seconds();
    part = source.next();
  }
  sink.write("");  // of no lines the output has none
  prefixes.check_end();
  writer.say_all();
  if (o.common.json) {
    Json json = writer.json();
    const double rate = seconds > 0 ? 1 / seconds : 0;
    json["seconds"] = seconds;
    json["sentences_per_second"] = json["sentences"].get<double>() * rate;
    json["target_tokens_per_second"] = json["target_tokens"].get<double>() * rate;
    json["peak_rss_mib"] = peak_rss_mib();
    json["threads"] = threads;
    print_json(json);
  }
  if (writer.faults() > 0) exit_with(1);
}

/// --model takes all that follows it, a sentence as well: what has a blank in it and is no folder.
void part_sentences(TranslateCommandOptions& o) {
  std::vector<std::string>& models = o.model.models;
  const auto is_sentence = [](const std::string& word) {
    return word.find(' ') != std::string::npos && !std::filesystem::exists(word);
  };
  const auto first = std::find_if(models.begin(), models.end(), is_sentence);
  if (first == models.begin()) return;
  if (first != models.end() && !o.input.empty()) {
    throw UsageError("--input: expected no sentence beside it, given \"" + *first + "\"");
  }
  o.sentences.insert(o.sentences.end(), first, models.end());
  models.erase(first, models.end());
  if (models.size() == 1 || std::filesystem::exists(models.back())) return;
  fail(models.back(),
       ": expected a model directory, given no such folder (a word to translate stands "
       "first: kette translate \"",
       models.back(), "\" --model ", models.front(), ")");
}

}  // namespace

void add_translate_command(CLI::App& program) {
  CLI::App& command = add_command(program, "translate", "Translate stdin or a file, line by line");
  auto options = std::make_shared<TranslateCommandOptions>();
  add_ensemble_options(command, options->model);
  OptionGroup text(command, "Text");
  const Option sentence =
      text.list("SENTENCE", options->sentences, "What to translate, instead of a file", "");
  text.path("--input", options->input,
            "Sentences, one a line; plain or gzip (default, or -: stdin)")
      .excludes(sentence);
  text.path("--output", options->output, "Where their translations go (default, or -: stdout)");
  const Option prefix = text.path(
      "--prefix", options->prefix,
      "What the translation of each line is to begin with, line by line; a line may be empty. Goes with --split lines");
  const Option split = text.choice(
      "--split", options->split,
      "What is translated at once: lines: each line whole, sentences: each sentence, auto: as many sentences as the model's own text had in a line; of a model that does not say, one. What stands between them stays");
  text.one_of(
      "--source-language", SentenceSplitter::languages(),
      [options](const std::string& name) { options->source_language = name; },
      [options] { return options->source_language; },
      "Whose rules part the sentences (default: that of the model's text, or of the lines)");
  text.choice(
      "--on-error", options->on_error,
      "What stands for a line that is no UTF-8 or too long: skip: an empty line, copy: the line itself, stop: nothing, and for none after it");
  const std::vector<Option> search = add_search_options(command, options->translate);
  add_shortlist_option(command, options->model);
  add_candidate_options(command, options->translate, options->candidates, search, true);
  add_common_options(command, options->common);
  when_read(command, [options, split, prefix] {
    TranslateCommandOptions& o = *options;
    if (prefix.given()) {
      if (split.given() && o.split != Split::lines) {
        throw UsageError("--prefix: expected --split lines beside it, given another one");
      }
      o.split = Split::lines;
    }
    part_sentences(o);
    if (o.candidates.sample) o.translate.sampling = o.candidates.sampling;
    check_search(o.model, o.translate);
  });
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
