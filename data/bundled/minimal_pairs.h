// Minimal pairs: sentences that differ in one feature, in both languages: a dog or dogs, he or she,
// sleeps or slept, already or never. For experiments on where a model processes that feature.
#pragma once

#include "data/bundled/corpus.h"
#include "tensor/enum_names.h"

namespace kette {

enum class Contrast : std::uint8_t { number, gender, tense, negation };
template <>
inline constexpr auto kNamesOf<Contrast> = enum_names<Contrast>({{Contrast::number, "number"},
                                                                 {Contrast::gender, "gender"},
                                                                 {Contrast::tense, "tense"},
                                                                 {Contrast::negation, "negation"}});

namespace bundled {

struct MinimalPair {
  SentencePair one, other;
};

/// Distinct statements of one plain clause; the English sides have equally many words:
///   number    singular or plural subject, with its verb
///   gender    he or she
///   tense     present or past
///   negation  already or never
/// The same for the same seed on every platform.
std::vector<MinimalPair> minimal_pairs(Contrast contrast, std::size_t count,
                                       std::uint64_t seed = 2017);

}  // namespace bundled
}  // namespace kette
