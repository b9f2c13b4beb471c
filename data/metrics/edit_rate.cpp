#include "data/metrics/edit_rate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace kette {
namespace {

constexpr int kLongestRun = 10;
constexpr int kFarthestMove = 50;
constexpr int kBeam = 25;
constexpr int kMostMovesTried = 1000;
constexpr int kFar = std::numeric_limits<int>::max() / 2;

/// Which words are edited, and after which word of the hypothesis each word of the reference
/// belongs.
struct Alignment {
  std::vector<bool> hypothesis_wrong, reference_wrong;
  std::vector<int> places;  // of each word of the reference: -1 before all of the hypothesis
};

/// Edit distances of sentences of one length from a reference, in a beam around the diagonal. Only
/// the beam is stored.
class EditDistance {
 public:
  EditDistance(std::u32string_view reference, int length)
      : reference_(reference), length_(length), width_(static_cast<int>(reference.size()) + 1) {
    const double slope = length > 0 ? static_cast<double>(reference.size()) / length : 1.0;
    const int beam = kBeam < slope / 2 ? static_cast<int>(std::ceil(slope / 2 + kBeam)) : kBeam;
    for (int i = 0; i <= length; ++i) {
      const int diagonal = static_cast<int>(std::floor(i * slope));
      begins_.push_back(std::max(0, diagonal - beam));
      ends_.push_back(i == 0 || i == length ? width_ : std::min(width_, diagonal + beam));
    }
    // Besides the beam: a place left of a row's first, and one right of its last for the next.
    std::ptrdiff_t places = 0;
    for (int i = 0; i <= length; ++i) {
      origins_.push_back(places + 1 - begins_[i]);
      places += 1 + std::max(ends_[i], ends_[std::min(i + 1, length)]) - begins_[i];
    }
    base_.assign(static_cast<std::size_t>(places), kFar);
    std::iota(base_.begin() + 1, base_.begin() + 1 + width_, 0);
    rows_ = base_;
  }

  /// Sets the sentence from which moved() sentences are derived.
  int set_base(std::u32string_view words) {
    sentence_ = words;
    for (int i = 1; i <= length_; ++i) {
      fill_row(words[i - 1], i, row(base_, i - 1), row(base_, i));
    }
    return row(base_, length_)[width_ - 1];
  }

  /// The distance of the base with words moved; any value above `limit` if it is above.
  int moved(std::u32string_view words, int limit) {
    const auto same = std::mismatch(words.begin(), words.end(), sentence_.begin());
    const int first = static_cast<int>(same.first - words.begin()) + 1;
    Row before = row(base_, first - 1);
    for (int i = first; i <= length_; ++i) {
      const Row now = row(rows_, i);
      if (fill_row(words[i - 1], i, before, now) > limit) return kFar;
      before = now;
    }
    return before[width_ - 1];
  }

  /// The alignment of the base: traces the distances back, and prefers matches and substitutions,
  /// then an extra word, then a missing one.
  Alignment alignment() {
    Alignment result{std::vector<bool>(sentence_.size()), std::vector<bool>(reference_.size()),
                     std::vector<int>(reference_.size())};
    int i = length_, j = width_ - 1;
    while (i > 0 || j > 0) {
      const int here = row(base_, i)[j];
      const bool differ = i > 0 && j > 0 && sentence_[i - 1] != reference_[j - 1];
      if (i > 0 && j > 0 && row(base_, i - 1)[j - 1] + (differ ? 1 : 0) == here) {
        --i, --j;
        result.hypothesis_wrong[i] = result.reference_wrong[j] = differ;
        result.places[j] = i;
      } else if (i > 0 && row(base_, i - 1)[j] + 1 == here) {
        result.hypothesis_wrong[--i] = true;
      } else {
        result.reference_wrong[--j] = true;
        result.places[j] = i - 1;
      }
    }
    return result;
  }

 private:
  struct Row {
    int* values;
    std::ptrdiff_t origin;
    int& operator[](int j) const { return values[origin + j]; }
  };
  Row row(std::vector<int>& table, int i) const { return {table.data(), origins_[i]}; }

  /// Returns the minimum of the row. Cells outside of the beam are unreachable.
  int fill_row(char32_t word, int i, Row before, Row now) const {
    int least = kFar;
    for (int j = begins_[i]; j < ends_[i]; ++j) {
      int best = before[j] + 1;
      if (j > 0) {
        best =
            std::min({best, now[j - 1] + 1, before[j - 1] + (word == reference_[j - 1] ? 0 : 1)});
      }
      now[j] = best;
      least = std::min(least, best);
    }
    return least;
  }

  std::u32string_view reference_;
  std::u32string sentence_;
  int length_, width_;
  std::vector<int> begins_, ends_;       // of the beam, row by row; the first row is whole
  std::vector<std::ptrdiff_t> origins_;  // of each row, where its column 0 is or would be
  std::vector<int> base_, rows_;
};

/// A run of words, and the place before which it goes.
struct Move {
  int gain = 0, length = 0, start = 0, place = 0;

  auto rank() const { return std::tuple(gain, length, -start, -place); }
};

void perform(std::u32string_view words, const Move& move, std::u32string& moved) {
  moved = words;
  const auto run = moved.begin() + move.start, run_end = run + move.length;
  if (move.place < move.start) {
    std::rotate(moved.begin() + move.place, run, run_end);
  } else if (move.place > move.start + move.length) {
    std::rotate(run, run_end, moved.begin() + move.place);
  } else {  // into itself: shifted by the place's offset in it
    const auto to = std::min<std::ptrdiff_t>(std::ssize(moved), move.length + move.place);
    std::rotate(run, run_end, moved.begin() + to);
  }
}

class Mover {
 public:
  Mover(std::u32string_view hypothesis, std::u32string_view reference)
      : words_(hypothesis),
        reference_(reference),
        distance_(reference, static_cast<int>(hypothesis.size())) {}

  std::int64_t run() {
    std::int64_t moves = 0;
    for (;;) {
      before_ = distance_.set_base(words_);
      best_ = {};
      if (before_ > 0) try_runs();
      if (tried_ >= kMostMovesTried || best_.gain <= 0) return moves + before_;
      perform(words_, best_, moved_);
      words_.swap(moved_);
      ++moves;
    }
  }

 private:
  void try_runs() {
    const Alignment alignment = distance_.alignment();
    const int words = static_cast<int>(words_.size()), others = static_cast<int>(reference_.size());
    for (int start = 0; start < words; ++start) {
      const int first = std::max(0, start - kFarthestMove),
                last = std::min(others - 1, start + kFarthestMove);
      for (int at = first; at <= last; ++at) {
        const int most = std::min({kLongestRun, words - start, others - at});
        bool run_wrong = false, place_wrong = false;
        for (int length = 1; length <= most; ++length) {
          const int end = length - 1;
          if (words_[start + end] != reference_[at + end]) break;
          run_wrong = run_wrong || alignment.hypothesis_wrong[start + end];
          place_wrong = place_wrong || alignment.reference_wrong[at + end];
          const int place = alignment.places[at];
          if (!run_wrong || !place_wrong || (start <= place && place < start + length)) continue;
          try_places(start, at, length, alignment);
          if (tried_ >= kMostMovesTried) return;
        }
      }
    }
  }

  /// Tries the places before the matching words of the reference, and after each of them.
  void try_places(int start, int at, int length, const Alignment& alignment) {
    int last = -1;
    for (int word = at - 1; word < at + length; ++word) {
      const int place = word < 0 ? 0 : alignment.places[word] + 1;
      if (place == last) continue;
      last = place;
      ++tried_;
      Move move{0, length, start, place};
      perform(words_, move, moved_);
      move.gain = before_ - distance_.moved(moved_, before_ - std::max(1, best_.gain));
      if (move.gain > 0 && move.rank() > best_.rank()) best_ = move;
    }
  }

  std::u32string words_, moved_;
  std::u32string_view reference_;
  EditDistance distance_;
  int before_ = 0, tried_ = 0;
  Move best_;
};

}  // namespace

std::int64_t edits_with_moves(std::u32string_view hypothesis, std::u32string_view reference) {
  // Without a reference every word is deleted.
  if (reference.empty()) return std::ssize(hypothesis);
  return Mover(hypothesis, reference).run();
}

}  // namespace kette
