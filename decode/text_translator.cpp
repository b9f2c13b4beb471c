#include "decode/text_translator.h"

#include <utility>

namespace kette {

/// What the model is given of a text.
struct TextTranslator::Unit {
  std::size_t text;
  Sentence part;
  bool divided = false;
};

/// Puts the texts together, of sentences that come in their order.
class TextTranslator::Assembly {
 public:
  Assembly(const std::vector<SourceText>& sources, const std::vector<Unit>& units,
           std::vector<std::string> faults, bool keeps_space, const TakeText& take)
      : sources_(sources),
        units_(units),
        faults_(std::move(faults)),
        keeps_space_(keeps_space),
        take_(take) {
    go_on();
  }

  void add(Translation translation) {
    const Unit& unit = units_[next_unit_++];
    const std::string& source = sources_[unit.text].text;
    if (keeps_space_) built_.text.append(source, written_, unit.part.begin - written_);
    built_.text += translation.text;
    written_ = unit.part.end;
    built_.sentences.push_back({unit.part, std::move(translation), unit.divided});
    go_on();
  }

 private:
  /// Hands out all texts of which no sentence is missing.
  void go_on() {
    while (next_text_ < sources_.size() &&
           (next_unit_ == units_.size() || units_[next_unit_].text != next_text_)) {
      built_.fault = faults_[next_text_];
      if (keeps_space_ && built_.fault.empty()) {
        built_.text.append(sources_[next_text_].text, written_);
      }
      written_ = 0;
      take_(static_cast<std::int64_t>(next_text_++), std::exchange(built_, {}));
    }
  }

  const std::vector<SourceText>& sources_;
  const std::vector<Unit>& units_;
  std::vector<std::string> faults_;
  bool keeps_space_;
  const TakeText& take_;
  TranslatedText built_;
  std::size_t next_text_ = 0, next_unit_ = 0, written_ = 0;
};

void TextTranslator::translate(const std::vector<SourceText>& sources, const TakeText& take,
                               const SentenceProgress& progress) const {
  std::vector<Unit> units;
  std::vector<std::string> faults;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::string& fault = faults.emplace_back(sources[i].fault);
    if (fault.empty()) add_units(sources[i].text, i, units, fault);
  }
  std::vector<std::string> sentences, prefixes;
  bool has_prefix = false;
  for (const Unit& unit : units) {
    const SourceText& source = sources[unit.text];
    sentences.push_back(source.text.substr(unit.part.begin, unit.part.end - unit.part.begin));
    prefixes.push_back(source.prefix);
    has_prefix = has_prefix || !source.prefix.empty();
  }
  KETTE_CHECK(!has_prefix || !options_.splitter,
              "translate: expected texts that are not split where they have prefixes");
  if (!has_prefix) prefixes.clear();
  Assembly assembly(sources, units, std::move(faults), options_.splitter != nullptr, take);
  if (sentences.empty()) return;
  translator_.translate(
      sentences, options_,
      [&](std::int64_t, Translation translation) { assembly.add(std::move(translation)); },
      progress, prefixes);
}

void TextTranslator::add_units(std::string_view text, std::size_t number, std::vector<Unit>& units,
                               std::string& fault) const {
  const std::size_t before = units.size(), room = translator_.longest_source(options_.language);
  const auto tokens = [&](std::string_view some) { return translator_.source_tokens(some); };
  for (const Sentence& part : parts_of(text)) {
    const std::string_view sentence = part.of(text);
    const auto too_many = translator_.too_many_tokens(sentence, options_.language);
    if (!too_many || options_.truncate) {
      units.push_back({number, part});
    } else if (options_.splitter) {
      for (const Sentence& piece : options_.splitter->parts(sentence, room, tokens)) {
        units.push_back({number, {part.begin + piece.begin, part.begin + piece.end}, true});
      }
    } else {
      fault = "expected at most " + std::to_string(room) +
              " tokens, as many as the model has positions for, given " +
              std::to_string(*too_many) + " (--split sentences parts it, --truncate cuts it off)";
      units.resize(before);
      return;
    }
  }
}

std::vector<Sentence> TextTranslator::parts_of(std::string_view text) const {
  if (!options_.splitter) return {{0, text.size()}};
  const std::vector<Sentence> sentences = options_.splitter->split(text, options_.breaks);
  if (options_.together == 1) return sentences;
  std::vector<Sentence> groups;
  std::int64_t in_group = 0, tokens = 0;
  for (const Sentence& sentence : sentences) {
    const auto more = static_cast<std::int64_t>(translator_.source_tokens(sentence.of(text)));
    if (groups.empty() || in_group == options_.together ||
        tokens + more > options_.together_tokens) {
      groups.push_back(sentence);
      in_group = tokens = 0;
    }
    groups.back().end = sentence.end;
    ++in_group;
    tokens += more;
  }
  return groups;
}

}  // namespace kette
