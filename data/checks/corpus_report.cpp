#include "data/checks/corpus_report.h"

#include <algorithm>
#include <cstdio>

namespace kette {

double TextReport::share(const OddPairs& finding) const {
  return pairs == 0 ? 0 : static_cast<double>(finding.pairs) / static_cast<double>(pairs);
}

bool TextReport::is_warning(const OddPairs& finding) const {
  return finding.pairs >= kTooFewToWarn && share(finding) > info_of(finding.oddity).threshold;
}

std::string TextReport::name() const { return files.source.name() + " and " + files.target.name(); }

std::string TextReport::languages() const {
  const auto named = [](const std::string& language) -> std::string {
    if (language == "en") return "English";
    if (language == "de") return "German";
    if (language == "fr") return "French";
    return language.empty() ? "a language that is not known here" : language;
  };
  return named(source_language) + " and " + named(target_language);
}

std::int64_t CorpusReport::warnings() const {
  std::int64_t count = 0;
  for (const TextReport& text : texts) {
    count += std::count_if(text.findings.begin(), text.findings.end(),
                           [&](const OddPairs& finding) { return text.is_warning(finding); });
  }
  return count;
}

std::string percent(double share) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, share > 0 && share < 0.00005 ? "%.0e %%" : "%.2f %%",
                100 * share);
  return buffer;
}

std::string told(const TextReport& text, const OddPairs& finding) {
  return std::to_string(finding.pairs) + " of " + std::to_string(text.pairs) + " pairs (" +
         percent(text.share(finding)) + ") " + info_of(finding.oddity).what;
}

std::string warning_lines(const CorpusReport& report) {
  std::string lines;
  for (const TextReport& text : report.texts) {
    for (const OddPairs& finding : text.findings) {
      if (!text.is_warning(finding)) continue;
      lines += text.name() + ": " + told(text, finding);
      if (!finding.samples.empty()) {
        const PairSample& first = finding.samples.front();
        lines += ", such as line " + std::to_string(first.line) +
                 (first.note.empty() ? "" : " (" + first.note + ")");
      }
      lines += "\n";
    }
  }
  return lines;
}

}  // namespace kette
