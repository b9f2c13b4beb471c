#include "data/checks/pair_reader.h"

#include <utility>

#include "data/files/utf8.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

constexpr LineLimits kLongestChecked{.line_bytes = std::int64_t{1} << 20};
/// Enough to keep the threads busy, and few enough to bound the memory of long lines.
constexpr std::size_t kPairsOfPart = std::size_t{1} << 13;

CheckedSide side_of(LineReader& reader, std::size_t most, std::size_t bytes) {
  std::vector<std::string> lines = reader.next(most, bytes);
  return {std::move(lines), reader.faults()};
}

}  // namespace

CheckedSide::CheckedSide(std::vector<std::string> given, const std::vector<LineFault>& faulty)
    : lines(std::move(given)), facts(lines.size()) {
  for (const LineFault& fault : faulty) {
    lines[fault.index] = as_line(lines[fault.index]);
    faults.emplace(fault.index, fault.message);
  }
  parallel_for(std::ssize(lines), 256, [&](std::int64_t i) { facts[i] = facts_of(lines[i]); });
}

CheckedLine CheckedSide::operator[](std::size_t i) const {
  static const std::string none;
  const auto fault = faults.find(i);
  return {lines[i], facts[i], fault == faults.end() ? none : fault->second};
}

PairReader::PairReader(const ParallelText& text)
    : source_reader_(text.source, kLongestChecked, FaultyLines::kept),
      target_reader_(text.target, kLongestChecked, FaultyLines::kept) {}

CheckedPairs PairReader::next() {
  CheckedPairs pairs;
  pairs.source = side_of(source_reader_, kPairsOfPart, LineReader::kPartBytes);
  pairs.target = side_of(target_reader_, pairs.size(), std::string::npos);
  pairs.first_line = source_reader_.first_line();
  if (pairs.target.lines.size() < pairs.size()) target_reader_.next(1);  // throws the error
  KETTE_CHECK(pairs.target.lines.size() == pairs.size(), target_reader_.name(),
              ": expected as many lines as ", source_reader_.name(), ", given fewer");
  return pairs;
}

}  // namespace kette
