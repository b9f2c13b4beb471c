// Sentences that differ in one thing, in both languages: a dog or dogs, he or she, sleeps or slept, already
// or never. For experiments that ask where in a model the difference travels.
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

/// Statements of one plain clause, no two alike, with as many English words on either side:
///   number    the subject is one or several; its verb with it
///   gender    he or she
///   tense     present or past
///   negation  already or never
/// The same for the same seed on every platform.
std::vector<MinimalPair> minimal_pairs(Contrast contrast, std::size_t count,
                                       std::uint64_t seed = 2017);

}  // namespace bundled
}  // namespace kette
