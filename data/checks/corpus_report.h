// The report on a parallel corpus: for each text, counts and samples of each oddity.
#pragma once

#include <string>
#include <vector>

#include "data/checks/odd_pairs.h"
#include "data/files/parallel_text.h"

namespace kette {

enum class TextRole : std::uint8_t { training, validation, test };
template <>
inline constexpr auto kNamesOf<TextRole> = enum_names<TextRole>({{TextRole::training, "training"},
                                                                 {TextRole::validation,
                                                                  "validation"},
                                                                 {TextRole::test, "test"}});

struct TextReport {
  TextRole role = TextRole::training;
  ParallelText files;
  std::int64_t pairs = 0;
  std::string source_language, target_language;  ///< of most lines: "en"; "" if unknown
  std::vector<OddPairs>
      findings;  ///< one for each oddity that was checked, in order, even if none was found

  double share(const OddPairs& finding) const;
  bool is_warning(const OddPairs& finding) const;
  /// "train.en and train.de"
  std::string name() const;
  /// "English and German"
  std::string languages() const;
};

struct CorpusReport {
  std::vector<TextReport> texts;

  std::int64_t warnings() const;
};

/// "12 of 100 pairs (12.0 %) repeat an earlier pair"
std::string told(const TextReport& text, const OddPairs& finding);
/// "0.32 %"; a share above 0 is never written as 0.
std::string percent(double share);

/// One line per warning, with the files and the first sample.
std::string warning_lines(const CorpusReport& report);

}  // namespace kette
