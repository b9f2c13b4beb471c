#include "data/checks/pair_reader.h"

#include "data/files/utf8.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

constexpr LineLimits kLongestChecked{.line_bytes = std::int64_t{1} << 20};
/// Enough to keep the threads busy, and few enough that long lines do not pile up.
constexpr std::size_t kPairsOfPart = std::size_t{1} << 13;

CheckedSide side_of(LineReader& reader, std::size_t most, std::size_t bytes) {
  CheckedSide side{reader.next(most, bytes), {}, {}};
  for (const LineFault& fault : reader.faults()) {
    side.lines[fault.index] = as_line(side.lines[fault.index]);
    side.faults.emplace(fault.index, fault.message);
  }
  side.facts.resize(side.lines.size());
  parallel_for(std::ssize(side.lines), 256,
               [&](std::int64_t i) { side.facts[i] = facts_of(side.lines[i]); });
  return side;
}

}  // namespace

PairReader::PairReader(const ParallelText& text)
    : source_reader_(text.source, kLongestChecked, FaultyLines::kept),
      target_reader_(text.target, kLongestChecked, FaultyLines::kept) {
  check_pairing(text);
}

bool PairReader::next() {
  source_ = side_of(source_reader_, kPairsOfPart, LineReader::kPartBytes);
  target_ = side_of(target_reader_, source_.lines.size(), std::string::npos);
  if (target_.lines.size() < source_.lines.size()) target_reader_.next(1);  // throws what is wrong
  KETTE_CHECK(target_.lines.size() == source_.lines.size(), target_reader_.name(),
              ": expected as many lines as before, given fewer (another program writes the file)");
  return !source_.lines.empty();
}

}  // namespace kette
