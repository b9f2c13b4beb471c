#include "cli/translation_report.h"

#include "cli/common.h"
#include "cli/host.h"
#include "data/files/json_text.h"

namespace kette::cli {

const std::vector<TranslationReport::Kind>& TranslationReport::kinds() {
  using Told = const TranslatedSentence&;
  static const std::vector<Kind> kinds = {
      {"divided", "are parts of sentences that are too long for the model",
       [](Told one) { return one.divided; }},
      {"cut", nullptr,  // said line by line
       [](Told one) { return one.translation.truncated; }},
      {"carried", "have addresses, placeholders or unknown characters, which were carried over",
       [](Told one) { return one.notes.carried > 0; }},
      {"raised", "are in capitals and were translated without them",
       [](Told one) { return one.notes.raised; }},
      {"lowered", "lost their capitals, for the model's own text has none",
       [](Told one) { return one.notes.lowered; }},
      {"copied", "have nothing to translate and stand as they were",
       [](Told one) { return one.notes.copied; }},
      {"alone",
       "were translated without those before them, whose translations could not be told apart",
       [](Told one) { return one.notes.alone; }},
      {"searched_anew", "ran in circles and were searched for anew",
       [](Told one) { return one.notes.looped; }},
      {"loops", "run in circles (look at them)", [](Told one) { return one.notes.loops; }},
      {"numbers_missing", "lack a number of the source (look at them)",
       [](Told one) { return !one.notes.missing_numbers.empty(); }},
      {"short", "are far shorter than their source (look at them)",
       [](Told one) { return one.notes.is_short; }}};
  return kinds;
}

std::vector<std::string> TranslationReport::notes_of(const TranslatedSentence& sentence) {
  std::vector<std::string> notes;
  for (const Kind& kind : kinds()) {
    if (kind.is(sentence)) notes.emplace_back(kind.key);
  }
  return notes;
}

TranslationReport::TranslationReport(const std::filesystem::path& file,
                                     const std::vector<std::filesystem::path>& read,
                                     std::string what)
    : what_(std::move(what)) {
  if (!file.empty()) file_.emplace(file, read);
}

void TranslationReport::add(std::int64_t number, const std::string& source,
                            const TranslatedText& translated) {
  ++texts_;
  faults_ += translated.fault.empty() ? 0 : 1;
  parted_ += translated.sentences.size() > 1 ? 1 : 0;
  sentences_ += std::ssize(translated.sentences);
  for (const TranslatedSentence& sentence : translated.sentences) {
    tokens_ += std::ssize(sentence.translation.n_best.front().hypothesis.tokens);
    for (const Kind& kind : kinds()) counts_[kind.key] += kind.is(sentence) ? 1 : 0;
    for (const std::string& character : sentence.notes.unknown) ++characters_[character];
  }
  if (file_) write(number, source, translated);
}

void TranslationReport::write(std::int64_t number, const std::string& source,
                              const TranslatedText& translated) {
  std::string lines;
  const auto add = [&](const Json& json) { lines += json_line(json); };
  if (!translated.fault.empty()) add({{what_, number}, {"fault", translated.fault}});
  for (std::size_t i = 0; i < translated.sentences.size(); ++i) {
    const TranslatedSentence& sentence = translated.sentences[i];
    Json json = {{what_, number},
                 {"sentence", i + 1},
                 {"source", sentence.part.of(source)},
                 {"target", sentence.text},
                 {"score", sentence.translation.n_best.front().hypothesis.score}};
    const std::vector<std::string> did = notes_of(sentence);
    if (sentence.notes.previous > 0) json["previous"] = sentence.notes.previous;
    if (!did.empty()) json["notes"] = did;
    if (!sentence.notes.unknown.empty()) json["unknown"] = sentence.notes.unknown;
    if (!sentence.notes.missing_numbers.empty()) {
      json["missing"] = sentence.notes.missing_numbers;
    }
    add(json);
  }
  file_->write(lines);
}

void TranslationReport::finish() {
  if (file_) file_->finish();
  say();
}

void TranslationReport::say() const {
  const auto line = [](const std::string& text) { to_stderr() << "kette: " << text << "\n"; };
  if (parted_ > 0) {
    line(with_commas(parted_) + " of " + with_commas(texts_) + " " + what_ +
         "s were translated in parts, " + with_commas(sentences_) +
         " in all (--split lines translates each whole)");
  }
  for (const Kind& kind : kinds()) {
    const auto found = counts_.find(kind.key);
    if (!kind.text || found == counts_.end() || found->second == 0) continue;
    line(with_commas(found->second) + " of " + with_commas(sentences_) + " sentences " + kind.text);
  }
  if (!characters_.empty()) line("the model does not know " + listed_characters(characters_));
}

Json TranslationReport::json() const {
  Json json = {{what_ + "s", texts_},
               {"faulty_" + what_ + "s", faults_},
               {what_ + "s_in_parts", parted_},
               {"sentences", sentences_},
               {"target_tokens", tokens_}};
  for (const Kind& kind : kinds()) {
    const auto found = counts_.find(kind.key);
    if (found != counts_.end() && found->second > 0) json[kind.key] = found->second;
  }
  if (!characters_.empty()) json["unknown_characters"] = characters_;
  return json;
}

}  // namespace kette::cli
