#include "data/checks/document_filter.h"

#include <algorithm>
#include <utility>

#include "data/checks/pair_oddities.h"
#include "data/files/line_reader.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// Calls use() with each non-empty line of the start, as well-formed UTF-8, and with whether it was
/// well-formed.
template <class Use>
void for_lines(std::string_view text, const Use& use) {
  if (text.size() > DocumentFilter::kStart) {
    std::size_t end = text.rfind('\n', DocumentFilter::kStart);
    if (end == std::string_view::npos) end = DocumentFilter::kStart;
    while (end > 0 && continues_utf8(text[end])) --end;
    text = text.substr(0, end);
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const bool is_valid = first_invalid_utf8(line) == std::string_view::npos;
    is_valid ? use(line, true) : use(as_line(line), false);
  }
}

std::int64_t lines_with(Oddity oddity, const DocumentFilter::Facts& facts) {
  switch (oddity) {
    case Oddity::other_language:
      return facts.other_language;
    case Oddity::markup:
      return facts.markup;
    case Oddity::encoding:
      return facts.broken;
    case Oddity::tokenised:
      return facts.tokenised;
    case Oddity::lower_cased:
      return facts.lower_cased;
    case Oddity::few_letters:
      return facts.few_letters;
    default:
      return 0;
  }
}

LineLanguage language_of_first_lines(const std::filesystem::path& file) {
  LineReader reader(file, {}, FaultyLines::emptied);
  LanguageCounts counts;
  for (std::int64_t lines = 0; lines < kLinesThatTell;) {
    const std::vector<std::string> part = reader.next(kLinesThatTell - lines);
    if (part.empty()) break;
    lines += std::ssize(part);
    for (const std::string& line : part) counts.add({facts_of(line).language, {}});
  }
  return counts.most().source;
}

}  // namespace

const std::vector<Oddity>& DocumentFilter::known() {
  static const std::vector<Oddity> all = {
      Oddity::duplicate, Oddity::other_language, Oddity::markup,     Oddity::encoding,
      Oddity::tokenised, Oddity::lower_cased,    Oddity::few_letters};
  return all;
}

DocumentFilter::DocumentFilter(const std::vector<Oddity>& oddities) {
  for (const Oddity oddity : oddities) {
    KETTE_CHECK(std::find(known().begin(), known().end(), oddity) != known().end(),
                "filter: expected what a text in one language can have (",
                joined(known(), [](Oddity one) { return enum_name(one); }), "), given ",
                enum_name(oddity));
    left_out_.push_back({oddity, PairSamples(kSamplesLeftOut)});
  }
}

bool DocumentFilter::wants(Oddity oddity) const {
  return std::any_of(left_out_.begin(), left_out_.end(),
                     [&](const LeftOut& one) { return one.oddity == oddity; });
}

void DocumentFilter::begin(const std::vector<std::filesystem::path>& files) {
  seen_.begin(files.front().string());
  if (!wants(Oddity::other_language)) return;
  language_ = language_of_name(files.front());
  if (language_ == LineLanguage::unknown) language_ = language_of_first_lines(files.front());
  KETTE_CHECK(
      language_ != LineLanguage::unknown, files.front().string(),
      ": expected text in English, German or French beside a filter by language, given none");
}

DocumentFilter::Facts DocumentFilter::facts_of_document(std::string_view text) const {
  Facts all;
  for_lines(text, [&](std::string_view line, bool is_valid) {
    const LineFacts facts = facts_of(line);
    if (facts.characters == 0) return;
    ++all.lines;
    const bool is_other = facts.language != LineLanguage::unknown && facts.language != language_;
    all.other_language += is_other ? 1 : 0;
    all.markup += facts.has_markup ? 1 : 0;
    all.broken += facts.is_broken || !is_valid ? 1 : 0;
    all.tokenised += facts.is_tokenised ? 1 : 0;
    all.lower_cased += facts.is_lower_cased ? 1 : 0;
    all.few_letters += facts.has_few_letters ? 1 : 0;
    all.hash = hash_of(all.hash, facts.exact);
  });
  return all;
}

std::uint64_t DocumentFilter::hash_of_document(std::string_view text) const {
  std::uint64_t hash = 0;
  for_lines(text, [&](std::string_view line, bool) {
    const std::uint64_t one = exact_hash(line);
    if (one != 0) hash = hash_of(hash, one);
  });
  return hash;
}

void DocumentFilter::skip(std::uint64_t hash) { seen_.add(hash); }

bool DocumentFilter::keeps(const Facts& facts, std::string_view text) {
  const std::optional<std::string> earlier = seen_.add(finds_duplicates() ? facts.hash : 0);
  for (LeftOut& one : left_out_) {
    const std::int64_t lines = lines_with(one.oddity, facts);
    const bool is_odd = one.oddity == Oddity::duplicate ? earlier.has_value()
                                                        : lines > 0 && 2 * lines >= facts.lines;
    if (!is_odd) continue;
    one.samples.add(seen_.lines(), [&] {
      return PairSample{seen_.lines(), shortened(as_line(text.substr(0, text.find('\n')))), "",
                        earlier.value_or("")};
    });
    return false;
  }
  return true;
}

std::vector<OddPairs> DocumentFilter::take_left_out() {
  std::vector<OddPairs> all;
  for (LeftOut& one : left_out_) {
    all.push_back({one.oddity, one.samples.count(), 0, 0, one.samples.samples()});
    one.samples = PairSamples(kSamplesLeftOut);
  }
  return all;
}

}  // namespace kette
