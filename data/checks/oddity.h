// The oddities of pairs in a parallel corpus, and the share of pairs above which each is a warning.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

enum class Oddity : std::uint8_t {
  duplicate,
  empty,
  equal,
  swapped,
  other_language,
  ratio,
  unwritable,
  changed,
  markup,
  encoding,
  tokenised,
  lower_cased,
  few_letters,
  overlap,
  overlap_normalised,
  overlap_side
};
/// Their names in JSON.
template <>
inline constexpr auto kNamesOf<Oddity> =
    enum_names<Oddity>({{Oddity::duplicate, "duplicate"},
                        {Oddity::empty, "empty"},
                        {Oddity::equal, "equal"},
                        {Oddity::swapped, "swapped"},
                        {Oddity::other_language, "other-language"},
                        {Oddity::ratio, "ratio"},
                        {Oddity::unwritable, "unwritable"},
                        {Oddity::changed, "changed"},
                        {Oddity::markup, "markup"},
                        {Oddity::encoding, "encoding"},
                        {Oddity::tokenised, "tokenised"},
                        {Oddity::lower_cased, "lower-cased"},
                        {Oddity::few_letters, "few-letters"},
                        {Oddity::overlap, "overlap"},
                        {Oddity::overlap_normalised, "overlap-normalised"},
                        {Oddity::overlap_side, "overlap-side"}});
inline constexpr std::size_t kOddities = kNamesOf<Oddity>.size();

struct OddityInfo {
  Oddity oddity;
  const char* title;  ///< "lower-cased"
  const char* what;   ///< "12 of 100 pairs WHAT"
  double threshold;   ///< a share of the pairs; above it is a warning
};

/// All of them, in the order above.
const std::vector<OddityInfo>& oddities();
const OddityInfo& info_of(Oddity oddity);

/// Fewer pairs than this are never a warning: every small text has a few odd lines.
inline constexpr std::int64_t kTooFewToWarn = 5;
/// A pair has an odd ratio if both the ratio of the sides' characters (LineFacts::weight) and their
/// difference are above these: "Ja." may be "That is right.".
inline constexpr std::int64_t kOddRatio = 3, kOddDifference = 20;

}  // namespace kette
