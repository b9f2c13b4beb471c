#include "data/corpora/pair_file.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "data/checks/odd_pairs_json.h"
#include "data/files/json_text.h"
#include "tensor/error.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

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
          {"ratio", json_of(report.ratio)},
          {"odd", odd_pairs_to_json(report.odd)}};
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
  if (json.contains("odd"))
    report.odd = odd_pairs_of_json(json.at("odd"));  // older files have none
  return report;
}

FilterReport report_of(const TokenFile& file) {
  try {
    return report_in(parse_json(file.info().note, file.name()).at("filters"));
  } catch (const nlohmann::json::exception&) {
    fail(file.name(), ": expected a note of what was left out, given none that can be read ",
         "(the file is damaged: make it again)");
  }
}

constexpr std::int64_t kBetweenBegins = 64;  // pairs
constexpr std::uint16_t kLonger = 0xFFFF;

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
  for (const std::span<const std::int32_t> side : {source, target}) {
    lengths_.push_back(static_cast<std::int32_t>(side.size()));
  }
}

void PairFileWriter::finish(const std::string& made_of, const FilterReport& report) {
  TokenFileInfo info;
  info.vocabulary = vocabulary_;
  info.end_of_text = end_;
  info.documents = std::ssize(lengths_);
  info.made_of = made_of;
  info.note = Json{{"filters", json_of(report)}}.dump();
  file_.finish(info, lengths_);
}

std::shared_ptr<const PairFile> PairFile::open(const std::filesystem::path& path) {
  return std::shared_ptr<const PairFile>(new PairFile(TokenFile::open(path)));
}

std::shared_ptr<const PairFile> PairFile::find(const std::filesystem::path& path,
                                               const std::string& made_of) {
  std::optional<TokenFile> file = TokenFile::find(path, made_of);
  if (!file) return nullptr;
  try {
    return std::shared_ptr<const PairFile>(new PairFile(std::move(*file)));
  } catch (const Error&) {
    return nullptr;
  }
}

PairFile::PairFile(TokenFile file) : file_(std::move(file)), report_(report_of(file_)) {
  const std::vector<std::int32_t> lengths = file_.lengths();
  KETTE_CHECK(std::ssize(lengths) == file_.info().documents && lengths.size() % 2 == 0,
              file_.name(), ": expected the lengths of ", file_.info().documents,
              " sentences, given ", lengths.size());
  lengths_.reserve(lengths.size());
  std::int64_t at = 0;
  for (const std::int32_t length : lengths) {
    const std::int64_t number = std::ssize(lengths_);
    if (number % (2 * kBetweenBegins) == 0) begins_.push_back(at);
    if (length >= kLonger) longer_[number] = length;
    lengths_.push_back(static_cast<std::uint16_t>(std::min<std::int32_t>(length, kLonger)));
    at += length + 1;
  }
  KETTE_CHECK(at == file_.size(), file_.name(), ": expected lengths of ", file_.size(),
              " tokens in all, given ", at);
}

PairLengths PairFile::lengths(std::int64_t pair) const {
  const auto of = [&](std::int64_t sentence) {
    const std::uint16_t length = lengths_[sentence];
    return length < kLonger ? std::int64_t{length} : longer_.at(sentence);
  };
  return {of(2 * pair), of(2 * pair + 1)};
}

PairIds PairFile::read(std::int64_t pair) const {
  std::int64_t begin = begins_[pair / kBetweenBegins];
  for (std::int64_t before = pair / kBetweenBegins * kBetweenBegins; before < pair; ++before) {
    const auto [source, target] = lengths(before);
    begin += source + target + 2;
  }
  const auto [source, target] = lengths(pair);
  PairIds ids{file_.copy(begin, source + 1 + target), {}};
  ids.target.assign(ids.source.begin() + source + 1, ids.source.end());
  ids.source.resize(source);
  return ids;
}

}  // namespace kette
