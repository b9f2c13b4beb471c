// Which pairs an epoch has: of one corpus each once, of several as many of each as its share asks for. Nothing is kept of
// single pairs: draw number d is computed when it is asked for.
#pragma once

#include <cstdint>
#include <vector>

namespace kette {

class Draws {
 public:
  struct Draw {
    std::int64_t pair;
    std::int64_t time;  ///< how often it came before in this epoch
  };

  /// ends: where each part of the corpus ends. shares: of the pairs of an epoch, for each part; as many pairs in all as the
  /// corpus has. A part's pairs come as often as that takes, some of them once more than others, by chance; none of a
  /// share of 0. Empty: every pair once.
  Draws(const std::vector<std::int64_t>& ends, const std::vector<double>& shares,
        std::uint64_t seed, std::int64_t epoch);

  std::int64_t size() const { return parts_.back().last_draw; }
  Draw operator[](std::int64_t number) const;
  /// Another number for each, which is that of the pair where all of its part come equally often, and behind the whole corpus
  /// where it came before. Quicker than to find the pair.
  std::int64_t place(std::int64_t number) const;

 private:
  struct Part {
    std::int64_t begin, pairs, first_draw, last_draw;
    std::uint64_t key;  // of the order in which pairs come once more
  };
  const Part& part_of(std::int64_t number) const;

  std::vector<Part> parts_;
  std::int64_t pairs_;
};

/// Shares of parts of these sizes that temper their inequality: size^(1 / temperature), of which 1 leaves it as it is
/// (Arivazhagan et al. 2019, "Massively Multilingual Neural Machine Translation in the Wild", section 4.2).
std::vector<double> tempered_shares(const std::vector<std::int64_t>& ends_of_parts,
                                    double temperature);

}  // namespace kette
