#include "data/corpora/pair_file.h"

#include <algorithm>
#include <vector>

#include "data/files/json_text.h"
#include "tensor/error.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::int64_t kIdsAtOnce = std::int64_t{1} << 20;

Json json_of(const FilterReport::Dropped& dropped) {
  Json examples = Json::array();
  for (const auto& one : dropped.examples) {
    examples.push_back({one.line, one.source_tokens, one.target_tokens});
  }
  return {{"count", dropped.count}, {"examples", examples}};
}

FilterReport::Dropped dropped_in(const Json& json) {
  FilterReport::Dropped dropped;
  dropped.count = json.at("count");
  for (const Json& one : json.at("examples")) {
    dropped.examples.push_back({one.at(0), one.at(1), one.at(2)});
  }
  return dropped;
}

Json json_of(const FilterReport& report) {
  return {{"max_length", report.options.max_length},
          {"must_fit", report.options.must_fit},
          {"max_ratio", report.options.max_ratio},
          {"join_lines", report.options.join_lines},
          {"read", report.read},
          {"kept", report.kept},
          {"pairs", report.pairs},
          {"empty", json_of(report.empty)},
          {"too_long", json_of(report.too_long)},
          {"ratio", json_of(report.ratio)}};
}

FilterReport report_in(const Json& json) {
  FilterReport report;
  report.options.max_length = json.at("max_length");
  report.options.must_fit = json.at("must_fit");
  report.options.max_ratio = json.at("max_ratio");
  report.options.join_lines = json.at("join_lines");
  report.read = json.at("read");
  report.kept = json.at("kept");
  report.pairs = json.at("pairs");
  report.empty = dropped_in(json.at("empty"));
  report.too_long = dropped_in(json.at("too_long"));
  report.ratio = dropped_in(json.at("ratio"));
  return report;
}

/// Deals the sentences out to both sides in turn.
void deal(const TokenFile& file, Pairs& pairs) {
  const std::int32_t end = file.info().end_of_text;
  TokenLists* side = &pairs.source;
  Ids sentence;
  for (std::int64_t at = 0; at < file.size(); at += kIdsAtOnce) {
    for (const std::int32_t id : file.copy(at, std::min(kIdsAtOnce, file.size() - at))) {
      if (id != end) {
        sentence.push_back(id);
        continue;
      }
      side->add(sentence);
      side = side == &pairs.source ? &pairs.target : &pairs.source;
      sentence.clear();
    }
  }
}

}  // namespace

PairFileWriter::PairFileWriter(const std::filesystem::path& path, std::int64_t vocabulary,
                               std::int32_t end)
    : file_(path, vocabulary), vocabulary_(vocabulary), end_(end) {}

void PairFileWriter::add(std::span<const std::int32_t> source,
                         std::span<const std::int32_t> target) {
  for (const std::span<const std::int32_t> side : {source, target}) {
    KETTE_CHECK(std::find(side.begin(), side.end(), end_) == side.end(),
                "pairs: expected sentences without their end mark, given one that holds it");
    file_.append(side);
    file_.append(Ids{end_});
  }
  ++pairs_;
  source_tokens_ += static_cast<std::int64_t>(source.size());
  target_tokens_ += static_cast<std::int64_t>(target.size());
}

void PairFileWriter::finish(const std::string& made_of, const FilterReport& report) {
  TokenFileInfo info;
  info.vocabulary = vocabulary_;
  info.end_of_text = end_;
  info.documents = 2 * pairs_;
  info.made_of = made_of;
  info.note = Json{{"source_tokens", source_tokens_},
                   {"target_tokens", target_tokens_},
                   {"filters", json_of(report)}}
                  .dump();
  file_.finish(info);
}

namespace {

Pairs pairs_in(const TokenFile& file) {
  const Json note = Json::parse(file.info().note);
  Pairs pairs;
  pairs.report = report_in(note.at("filters"));
  pairs.source.reserve(pairs.report.kept, note.at("source_tokens"));
  pairs.target.reserve(pairs.report.kept, note.at("target_tokens"));
  deal(file, pairs);
  return pairs;
}

}  // namespace

Pairs read_pairs(const std::filesystem::path& path) { return pairs_in(TokenFile::open(path)); }

std::optional<Pairs> read_pairs(const std::filesystem::path& path, const std::string& made_of) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const TokenFile file = TokenFile::open(path);
    if (file.info().made_of != made_of) return std::nullopt;
    return pairs_in(file);
  } catch (const Error&) {
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace kette
