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

void count_first_lines(const std::filesystem::path& file, LanguageCounts& counts) {
  LineReader reader(file, {}, FaultyLines::emptied);
  for (std::int64_t lines = 0; lines < kLinesThatTell;) {
    const std::vector<std::string> part = reader.next(kLinesThatTell - lines);
    if (part.empty()) break;
    lines += std::ssize(part);
    for (const std::string& line : part) {
      const LineFacts facts = facts_of(line);
      if (facts.characters > 0) counts.add({facts.language, {}});
    }
  }
}

/// Of each, as DocumentFilter::begin() finds them; unknown where it cannot.
std::vector<LineLanguage> languages_of_files(const std::vector<std::filesystem::path>& files,
                                             bool are_documents) {
  std::vector<LineLanguage> languages;
  LanguageCounts of_all;
  for (const std::filesystem::path& file : files) {
    languages.push_back(language_of_name(file));
    if (languages.back() != LineLanguage::unknown || names_another_language(file)) continue;
    if (are_documents && of_all.pairs() >= kLinesThatTell) continue;
    LanguageCounts counts;
    count_first_lines(file, counts);
    of_all.add(counts);
    if (!are_documents) languages.back() = counts.most().source;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool is_told = languages[i] != LineLanguage::unknown || names_another_language(files[i]);
    if (!is_told) languages[i] = of_all.most().source;
  }
  return languages;
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

void DocumentFilter::begin(const std::vector<std::filesystem::path>& files, bool are_documents) {
  files_ = files;
  begun_ = 0;
  languages_.assign(files.size(), LineLanguage::unknown);
  if (!wants(Oddity::other_language)) return;
  languages_ = languages_of_files(files, are_documents);
  for (std::size_t i = 0; i < files.size(); ++i) {
    KETTE_CHECK(
        languages_[i] != LineLanguage::unknown, files[i].string(),
        ": expected text in English, German or French beside a filter by language, given none");
  }
}

void DocumentFilter::go_to(std::size_t file) {
  while (begun_ <= file) seen_.begin(files_[begun_++].string());
}

DocumentFilter::Facts DocumentFilter::facts_of_document(std::string_view text,
                                                        std::size_t file) const {
  const LineLanguage expected = languages_[file];
  Facts all;
  for_lines(text, [&](std::string_view line, bool is_valid) {
    const LineFacts facts = facts_of(line);
    if (facts.characters == 0) return;
    ++all.lines;
    const bool is_other = facts.language != LineLanguage::unknown && facts.language != expected;
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

void DocumentFilter::skip(std::uint64_t hash, std::size_t file) {
  go_to(file);
  seen_.add(hash);
}

bool DocumentFilter::keeps(const Facts& facts, std::string_view text, std::size_t file) {
  go_to(file);
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
