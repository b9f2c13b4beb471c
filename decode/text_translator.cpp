#include "decode/text_translator.h"

#include <algorithm>
#include <map>
#include <utility>

#include "data/files/unicode.h"
#include "data/sentences/numbers.h"
#include "data/sentences/protected_text.h"
#include "decode/loops.h"
#include "decode/search_limits.h"
#include "decode/sentence_mending.h"
#include "decode/text_assembly.h"
#include "tensor/suggestion.h"

namespace kette {
namespace {

/// Translations are too short if they have less than this fraction of the tokens of the shortest
/// one in a hundred.
constexpr double kTooShort = 0.5;

/// The distance of the numbers of two units of a text, modulo 2^32, for the random draws. Its
/// multiples stay far from 0, and from those of the distance of copies (decode/sampled_texts.cpp):
/// it is the fraction of the square root of 2.
constexpr std::int64_t kUnits = 0x6A09E667;

bool has_letters(std::string_view text) {
  const std::u32string characters = decode_utf8(text);
  return std::any_of(characters.begin(), characters.end(), is_letter);
}

/// Of what stands between two sentences of a text, which is white space.
bool has_line_end(std::string_view between) { return between.find('\n') != between.npos; }
bool has_blank_line(std::string_view between) {
  return std::count(between.begin(), between.end(), '\n') > 1;
}

}  // namespace

TextTranslator::TextTranslator(const SentenceTranslator& translator,
                               const TextTranslateOptions& options)
    : translator_(translator), options_(options), previous_(options.previous) {
  if (options.previous == 0) return;
  KETTE_CHECK(
      options.splitter && options.facts,
      "previous: expected texts that are split, and what is known of the model's text, given less");
  const std::string& language = options.facts->target_language;
  target_splitter_.emplace(language.empty() ? "en" : language);
}

void TextTranslator::translate(const std::vector<SourceText>& sources, const TakeText& take,
                               const SentenceProgress& progress) {
  std::vector<TranslationUnit> units;
  std::vector<std::string> faults;
  bool has_prefix = false;
  SentencePreparer preparer(translator_.tokenizer(), options_.facts);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::string& fault = faults.emplace_back(sources[i].fault);
    if (fault.empty()) add_units(sources[i], i, preparer, units, fault);
    has_prefix = has_prefix || !sources[i].prefix.empty();
  }
  KETTE_CHECK(
      !has_prefix || (!options_.splitter && !options_.mend),
      "translate: expected texts that are neither split nor mended where they have prefixes");
  TextAssembly assembly(sources, units, std::move(faults), options_.splitter != nullptr, take);
  std::vector<std::string> inputs = inputs_of(units, sources);
  std::vector<SourceSentence> sentences;
  std::vector<std::size_t> of_unit;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].done) continue;
    of_unit.push_back(i);
    sentences.push_back(sentence_of(std::move(inputs[sentences.size()]), units[i]));
    sentences.back().prefix = sources[units[i].text].prefix;
  }
  texts_ += std::ssize(sources);
  assembly.go_on();
  if (sentences.empty()) return;
  const auto found = [&](std::int64_t number, Translation translation) {
    TranslationUnit& unit = units[of_unit[static_cast<std::size_t>(number)]];
    unit.translation = std::move(translation);
    if (unit.notes.previous > 0 && !take_own(unit)) return;
    finish(unit);
    assembly.go_on();
  };
  translator_.translate(sentences, options_.decoding, options_.work, found, progress);
  search_alone(units);
  if (options_.mend) {
    search_anew(units);
    carry_over(units);
  }
  assembly.go_on();
}

std::vector<std::string> TextTranslator::inputs_of(std::vector<TranslationUnit>& units,
                                                   const std::vector<SourceText>& sources) {
  std::vector<std::string> inputs;
  std::size_t next_text = 0, end = 0;  // end: of the sentence before, in the same text
  for (TranslationUnit& unit : units) {
    if (unit.text > next_text) previous_.forget();
    if (unit.text >= next_text) end = 0;
    next_text = unit.text + 1;
    const std::string_view text = sources[unit.text].text;
    if (has_blank_line(text.substr(end, unit.part.begin - end))) previous_.forget();
    end = unit.part.end;
    if (unit.done) continue;
    inputs.push_back(input_of(unit));
    if (options_.previous == 0) continue;
    const std::string own = inputs.back();
    PreviousSentences::Together together = previous_.with(
        own, *options_.splitter,
        std::min(translator_.longest_source(unit.language),
                 static_cast<std::size_t>(options_.facts->source_tokens)),
        [&](std::string_view some) { return translator_.tokenizer()->encode(some).size(); });
    previous_.add(own);
    unit.notes.previous = together.before;
    inputs.back() = std::move(together.text);
  }
  if (sources.size() > next_text) previous_.forget();
  return inputs;
}

std::string TextTranslator::input_of(const TranslationUnit& unit) const {
  return options_.mend ? unit.prepared.input : std::string(unit.source);
}

SourceSentence TextTranslator::sentence_of(std::string input, const TranslationUnit& unit) const {
  return {.text = std::move(input),
          .language = unit.language,
          .truncate = true,  // what is still too long is so by a change of case
          .number = unit.number};
}

/// Keeps only the sentence's own translation, if it can be separated from that of previous
/// sentences.
bool TextTranslator::take_own(TranslationUnit& unit) const {
  const std::optional<std::string> own =
      last_sentence(unit.translation.text, unit.notes.previous, *target_splitter_);
  unit.notes.alone = !own;
  if (!own) return false;
  Translation::Alternative best = std::move(unit.translation.n_best.front());
  best.text = unit.translation.text = *own;
  best.hypothesis.tokens = translator_.tokenizer()->encode(*own, Side::target);
  unit.translation.n_best = {std::move(best)};
  return true;
}

void TextTranslator::search_alone(std::vector<TranslationUnit>& units) const {
  std::vector<TranslationUnit*> alone;
  std::vector<SourceSentence> sentences;
  for (TranslationUnit& unit : units) {
    if (!unit.notes.alone) continue;
    unit.notes.previous = 0;
    alone.push_back(&unit);
    sentences.push_back(sentence_of(input_of(unit), unit));
  }
  if (alone.empty()) return;
  translator_.translate(sentences, options_.decoding, options_.work,
                        [&](std::int64_t number, Translation translation) {
                          TranslationUnit& unit = *alone[static_cast<std::size_t>(number)];
                          unit.translation = std::move(translation);
                          finish(unit);
                        });
}

void TextTranslator::finish(TranslationUnit& unit) const {
  if (options_.mend) return examine(unit);
  unit.mended = unit.translation.text;
  unit.done = true;
}

/// Decides whether a translation is done, loops, or has marks to place.
void TextTranslator::examine(TranslationUnit& unit) const {
  SentenceNotes& notes = unit.notes;
  const Translation& translation = unit.translation;
  const std::vector<std::int32_t>& tokens = translation.n_best.front().hypothesis.tokens;
  const std::vector<std::int32_t> source = translator_.tokenizer()->encode(unit.prepared.input);
  unit.loop = loop_in(tokens);
  if (!unit.loop.empty() && !loop_in(source).empty()) unit.loop.clear();  // as the source does
  notes.loops = !unit.loop.empty();
  const std::string& input = unit.prepared.input;
  if (options_.facts) {
    const TextFacts& facts = *options_.facts;
    notes.missing_numbers =
        missing_numbers(input, facts.source_language, translation.text, facts.target_language);
    notes.is_short = static_cast<double>(tokens.size()) <
                     kTooShort * facts.shortest * static_cast<double>(source.size());
  }
  const bool invented = !has_letters(input) && has_letters(translation.text);
  if (invented || (!has_letters(input) && !notes.missing_numbers.empty())) {
    unit.translation.text = input;
    notes = {.carried = notes.carried, .unknown = notes.unknown, .copied = true};
    unit.loop.clear();
  }
  if (unit.loop.empty() && !unit.needs_links()) unit.place({});
}

void TextTranslator::search_anew(std::vector<TranslationUnit>& units) const {
  std::vector<TranslationUnit*> looping;
  std::vector<SourceSentence> sentences;
  for (TranslationUnit& unit : units) {
    if (unit.loop.empty() || options_.decoding.sampling) continue;
    looping.push_back(&unit);
    sentences.push_back(sentence_of(unit.prepared.input, unit));
    sentences.back().loop = unit.loop;
  }
  if (!looping.empty()) {
    translator_.translate(sentences, options_.decoding.for_retry(), options_.work,
                          [&](std::int64_t number, Translation again) {
                            TranslationUnit& unit = *looping[static_cast<std::size_t>(number)];
                            unit.translation = std::move(again);
                            unit.notes.looped = true;
                            unit.notes.previous = 0;
                            examine(unit);
                          });
  }
  for (TranslationUnit& unit : units) {
    if (!unit.loop.empty() && !unit.done && !unit.needs_links()) unit.place({});
  }
}

/// Places the marks of all units that are not done yet.
void TextTranslator::carry_over(std::vector<TranslationUnit>& units) const {
  std::map<std::string, std::vector<TranslationUnit*>> by_language;
  for (TranslationUnit& unit : units) {
    if (!unit.done) by_language[unit.language].push_back(&unit);
  }
  for (const auto& [language, marked] : by_language) {
    std::vector<std::string> inputs, targets;
    for (const TranslationUnit* unit : marked) {
      inputs.push_back(unit->prepared.input);
      targets.push_back(unit->translation.text);
    }
    const std::vector<UnitLinks> links =
        translator_.align(inputs, targets, language, options_.work);
    for (std::size_t i = 0; i < marked.size(); ++i) marked[i]->place(links[i]);
  }
}

std::size_t TextTranslator::room_for(const std::string& language) const {
  const std::size_t positions = translator_.longest_source(language);
  if (!options_.splitter || options_.truncate || !options_.facts) return positions;
  // A model drops much of a sentence that is longer than what it has learnt
  // (docs/results/translation-quality.md#long-sentences). Parts of a few tokens would hold no clause.
  constexpr std::int64_t kLeast = 20;
  const std::int64_t learnt = options_.facts->source_tokens;
  return learnt == 0 ? positions
                     : std::min(positions, static_cast<std::size_t>(std::max(learnt, kLeast)));
}

std::vector<Sentence> TextTranslator::pieces_of(std::string_view sentence, std::size_t room) const {
  // What is taken out before the model reads it costs nothing, and is not cut.
  constexpr char kTakenOut = '\x01';
  std::string shown(sentence);
  for (const ProtectedSpan& span : protected_spans(options_.mend ? sentence : "")) {
    std::fill_n(shown.begin() + static_cast<std::ptrdiff_t>(span.begin), span.end - span.begin,
                kTakenOut);
  }
  return options_.splitter->parts(shown, room, [&](std::string_view some) {
    std::string read(some);
    std::erase(read, kTakenOut);
    return translator_.tokenizer()->encode(read).size();
  });
}

std::string TextTranslator::add_parts(const SourceText& source, std::size_t number,
                                      std::vector<TranslationUnit>& units) const {
  const std::string_view text = source.text;
  const Tokenizer& tokenizer = *translator_.tokenizer();
  const std::size_t most = translator_.longest_source("");  // of a translation, which has no tag
  if (const auto given = tokens_above(tokenizer, source.prefix, Side::target, most)) {
    return "expected a prefix of at most " + std::to_string(most) +
           " tokens, as many as the model has positions for, given " + std::to_string(*given);
  }
  std::string language = options_.language;
  for (Sentence part : parts_of(text)) {
    std::size_t tag_begin = std::string_view::npos;
    const WrittenTag tag = tokenizer.written_tag(part.of(text));
    if (tag.size > 0) {
      if (!tokenizer.tag_of(tag.language)) {
        return "expected one of " + joined(tokenizer.languages()) +
               " for its target language, given " + tag.language;
      }
      language = tag.language;
      tag_begin = std::exchange(part.begin, part.begin + tag.size);
    }
    const auto add = [&](const Sentence& piece, bool divided) {
      units.push_back({number, piece, divided});
      units.back().language = language;
      // It stands before the first piece alone.
      units.back().tag_begin =
          std::min(std::exchange(tag_begin, std::string_view::npos), piece.begin);
    };
    const std::string_view sentence = part.of(text);
    const std::size_t room = room_for(language);
    const auto too_many = tokens_above(tokenizer, sentence, Side::source, room);
    if (!too_many || options_.truncate) {
      add(part, false);
    } else if (options_.splitter) {
      const std::vector<Sentence> pieces = pieces_of(sentence, room);
      for (const Sentence& piece : pieces) {
        add({part.begin + piece.begin, part.begin + piece.end}, pieces.size() > 1);
      }
    } else {
      return "expected at most " + std::to_string(room) +
             " tokens, as many as the model has positions for, given " + std::to_string(*too_many) +
             " (--split sentences parts it, --truncate cuts it off)";
    }
  }
  return {};
}

void TextTranslator::add_units(const SourceText& source, std::size_t number,
                               SentencePreparer& preparer, std::vector<TranslationUnit>& units,
                               std::string& fault) const {
  const std::string_view text = source.text;
  const std::size_t before = units.size();
  fault = add_parts(source, number, units);
  if (!fault.empty()) {
    units.resize(before);
    return;
  }
  std::size_t mark = 0;
  for (std::size_t i = before; i < units.size(); ++i) {
    TranslationUnit& unit = units[i];
    unit.number =
        texts_ + static_cast<std::int64_t>(number) + static_cast<std::int64_t>(i - before) * kUnits;
    unit.source = unit.part.of(text);
    if (!options_.mend) continue;
    std::vector<Mark> marks;
    for (; mark < source.marks.size() && source.marks[mark].at <= unit.part.end; ++mark) {
      const Mark& one = source.marks[mark];
      const bool behind = one.at == unit.part.end &&
                          (one.kind == Mark::Kind::opens || one.kind == Mark::Kind::breaks);
      if (one.at < unit.part.begin) continue;
      if (behind) break;
      unit.marks.push_back(mark);
      marks.push_back(one);
      marks.back().at -= unit.part.begin;
    }
    for (std::size_t k = 0; k < marks.size(); ++k) {  // partners among the sentence's own
      const auto found = std::lower_bound(unit.marks.begin(), unit.marks.end(), marks[k].partner);
      marks[k].partner = found != unit.marks.end() && *found == marks[k].partner
                             ? static_cast<std::size_t>(found - unit.marks.begin())
                             : Mark::kNoPartner;
    }
    unit.prepared = preparer.prepare(unit.source, marks);
    unit.notes.carried = unit.prepared.taken_out;
    unit.notes.unknown = unit.prepared.unknown;
    unit.notes.raised = unit.prepared.raised;
    unit.notes.lowered = unit.prepared.lowered;
    if (!unit.prepared.copied) continue;
    unit.notes.copied = true;
    unit.translation.text = unit.prepared.input;
    unit.translation.n_best.push_back({unit.prepared.input, {}, 0});
    unit.place({});
  }
}

std::vector<Sentence> TextTranslator::parts_of(std::string_view text) const {
  if (!options_.splitter) return {{0, text.size()}};
  const std::vector<Sentence> sentences = options_.splitter->split(text, options_.breaks);
  if (options_.together == 1) return sentences;
  std::vector<Sentence> groups;
  std::int64_t in_group = 0, tokens = 0;
  for (const Sentence& sentence : sentences) {
    const auto more = std::ssize(translator_.tokenizer()->encode(sentence.of(text)));
    const auto ends_line = [&] {  // which one translation of both would lose
      const std::size_t end = groups.back().end;
      const std::string_view between = text.substr(end, sentence.begin - end);
      return options_.breaks == LineBreaks::end ? has_line_end(between) : has_blank_line(between);
    };
    if (groups.empty() || in_group == options_.together ||
        tokens + more > options_.together_tokens || ends_line()) {
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
