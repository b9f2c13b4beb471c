// Translates lines in order; writes each as soon as it and all before it are done.
#include <set>
#include <utility>

#include "cli/host.h"
#include "cli/translation.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

/// What the translations begin with, line by line beside the sources; without a file nothing.
class Prefixes {
 public:
  Prefixes(const std::filesystem::path& file, const Tokenizer& tokenizer) : tokenizer_(tokenizer) {
    if (!file.empty()) lines_.emplace(file, kSentence);
  }
  /// Beside so many sources.
  void give(std::vector<SourceText>& sources) {
    if (!lines_) return;
    const std::vector<std::string> part = lines_->next(sources.size());
    KETTE_CHECK(part.size() == sources.size(), lines_->name(),
                ": expected a line for each sentence, given ", given_ + part.size(),
                " lines and at least ", given_ + sources.size(), " sentences");
    given_ += part.size();
    for (std::size_t i = 0; i < part.size(); ++i) {
      sources[i].prefix = part[i];
      const std::string fault = fault_of_prefix(part[i], tokenizer_);
      if (fault.empty()) continue;
      sources[i].fault = lines_->name() + ":" +
                         std::to_string(lines_->first_line() + static_cast<std::int64_t>(i)) +
                         ": " + fault;
    }
  }
  void check_end() {
    KETTE_CHECK(!lines_ || lines_->next(1).empty(), lines_->name(),
                ": expected a line for each sentence, given more than ", given_, " lines and ",
                given_, " sentences");
  }

 private:
  const Tokenizer& tokenizer_;
  std::optional<LineReader> lines_;
  std::size_t given_ = 0;
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
  std::vector<SourceText> next() {
    std::vector<SourceText> sources;
    for (std::string& line :
         reader_ ? reader_->next(kSentencesAtOnce) : std::exchange(given_, {})) {
      sources.push_back({std::move(line)});
    }
    if (!reader_) return sources;
    for (const LineFault& fault : reader_->faults()) sources[fault.index].fault = fault.message;
    return sources;
  }
  std::string name() const { return reader_ ? reader_->name() : "sentence"; }
  std::int64_t first_line() const { return reader_ ? reader_->first_line() : 1; }
  double share() const { return reader_ ? reader_->share() : 1; }

 private:
  std::optional<LineReader> reader_;
  std::vector<std::string> given_;
};

/// Lines, rows of a list `line ||| text ||| score`, or lines of JSON.
class Rows {
 public:
  explicit Rows(const TranslateCommandOptions& o)
      : lists_(o.lists()),
        json_(o.writes_json()),
        all_(o.translate.decoding.sampling.has_value()) {}

  /// What stands for the translation of a line.
  std::string of(std::int64_t line, const TranslatedText& translated) const {
    if (lists_) return list(line, translated);
    if (!json_) return translated.text + "\n";
    Json json = {{"line", line}, {"text", translated.text}};
    if (!translated.fault.empty()) json["fault"] = translated.fault;
    return json_line(json);
  }

 private:
  using Candidates = std::vector<Translation::Alternative>;

  /// Of a line in parts a list for each, numbered; of one that is not translated what stands for it.
  std::string list(std::int64_t line, const TranslatedText& translated) const {
    std::string rows;
    for (std::size_t i = 0; i < translated.sentences.size(); ++i) {
      const bool in_parts = translated.sentences.size() > 1;
      rows += list(line, in_parts ? std::optional(i + 1) : std::nullopt,
                   distinct(translated.sentences[i].translation.n_best), "");
    }
    if (!rows.empty()) return rows;
    const bool is_faulty = !translated.fault.empty();
    return list(line, {}, {{is_faulty ? translated.text : "", {}}}, translated.fault);
  }

  std::string list(std::int64_t line, std::optional<std::size_t> part, const Candidates& candidates,
                   const std::string& fault) const {
    if (json_) {
      Json json = {{"line", line}};
      if (part) json["sentence"] = *part;
      if (!fault.empty()) json["fault"] = fault;
      json["n_best"] = Json::array();
      for (const auto& one : candidates) {
        json["n_best"].push_back({{"text", one.text}, {"score", one.hypothesis.score}});
        if (one.hypothesis.at_limit) json["n_best"].back()["at_limit"] = true;
      }
      return json_line(json);
    }
    const std::string number = std::to_string(line) + (part ? "." + std::to_string(*part) : "");
    std::string rows;
    for (const auto& one : candidates) {
      rows += number + " ||| " + one.text + " ||| " + text("%.6f", one.hypothesis.score) + "\n";
    }
    return rows;
  }

  /// Pieces that spell the same text are one candidate, with the best score of them, which is the first; but each
  /// sample was drawn.
  Candidates distinct(const Candidates& candidates) const {
    if (all_) return candidates;
    Candidates result;
    std::set<std::string_view> texts;
    for (const auto& one : candidates) {
      if (texts.insert(one.text).second) result.push_back(one);
    }
    return result;
  }

  bool lists_, json_, all_;
};

}  // namespace

std::string fault_of_prefix(const std::string& prefix, const Tokenizer& tokenizer) {
  const std::string written = tokenizer.decode(tokenizer.encode(prefix, Side::target));
  if (written == prefix || written + " " == prefix) return {};
  return "expected a prefix that the model can write, given \"" + prefix +
         "\", which it writes as \"" + written + "\"";
}

TranslationOutcome translate_lines(TranslateCommandOptions& o,
                                   const SentenceTranslator& translator) {
  Source source(o);
  std::vector<SourceText> part = source.next();
  Prefixes prefixes(o.prefix, *translator.tokenizer());
  // Now, so that input that is refused leaves an earlier output as it is.
  Sink sink(o.output, o.read());
  TranslationOutcome outcome{{o.report, o.read(), "line"}};
  std::vector<std::string_view> some;
  for (const SourceText& line : part) {
    if (line.fault.empty()) some.push_back(line.text);
  }
  o.choose_sentences(some);
  TextTranslator text_translator(translator, o.translate);
  const Rows rows(o);
  // Mending reports them itself.
  std::optional<UnknownCharacters> unknown;
  if (!o.translate.mend) {
    unknown.emplace(translator.tokenizer());
    say_strange_case(o.model.models.front(), some, source.name());
  }
  LeftOut faults;
  DecodingProgress progress;
  std::int64_t lines = 0;
  while (!part.empty()) {
    const Stopwatch watch;
    const std::int64_t first = source.first_line();
    prefixes.give(part);
    for (const SourceText& line : part) {
      if (unknown && line.fault.empty()) unknown->add(line.text);
    }
    const auto take = [&](std::int64_t number, TranslatedText translated) {
      const SourceText& line = part[static_cast<std::size_t>(number)];
      const std::string place = source.name() + ":" + std::to_string(first + number);
      progress.clear();
      if (!translated.fault.empty()) {
        if (line.fault.empty()) translated.fault = place + ": " + translated.fault;
        if (o.on_error == OnError::stop) fail(translated.fault);
        faults.say(translated.fault);
        translated.text = o.on_error == OnError::copy ? line.text : "";
      }
      sink.write(rows.of(first + number, translated));
      for (const TranslatedSentence& sentence : translated.sentences) {
        if (sentence.translation.truncated) {
          to_stderr() << "kette: " << visible(place) << ": cut, it is too long for the model\n";
        }
      }
      outcome.report.add(first + number, line.text, translated);
    };
    try {
      text_translator.translate(part, take, progress.next_part(source.share()));
      progress.clear();
      outcome.seconds += watch.seconds();
      lines += std::ssize(part);
      part = source.next();
    } catch (const Error&) {
      if (o.on_error == OnError::stop) sink.finish();  // with what came before
      throw;
    }
  }
  prefixes.check_end();
  sink.finish();
  if (unknown) say_unknown(*unknown, source.name());
  const std::string there =
      o.on_error == OnError::copy ? "them as they were" : "empty lines in their place";
  faults.say_all(lines, "translated: the output has " + there + " (--on-error)");
  return outcome;
}

}  // namespace kette::cli
