// The lines of two texts that translate each other, filtered and encoded, part by part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/corpora/filter_report.h"
#include "data/corpora/tokenize_files.h"
#include "data/files/line_reader.h"
#include "data/files/parallel_text.h"
#include "data/files/text_file.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

class PairFilter;

class PairEncoder {
 public:
  /// Ids without begin and end.
  using Take =
      std::function<void(const std::vector<std::int32_t>&, const std::vector<std::int32_t>&)>;
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  /// One side, wherever its lines come from.
  struct Lines {
    std::string name;                                                ///< in errors
    std::function<std::vector<std::string>(std::size_t most)> next;  ///< lines; none: at the end
    std::function<double()> share = {};                              ///< of them that were read
    std::function<std::vector<LineFault>()> faults = {};             ///< of the last ones
    std::vector<std::int64_t> numbers{};  ///< in the file; empty: those from 1 on
  };
  PairEncoder(Lines source, Lines target, const SharedTokenizer& tokenizer,
              const FilterOptions& options, std::string language = {});

  /// Of files, which are read once. odd: what leaves out the odd pairs that the options name, and outlives this; null:
  /// the options name none.
  PairEncoder(const ParallelText& text, const SharedTokenizer& tokenizer,
              const FilterOptions& options, PairFilter* odd = nullptr);
  /// Of lines in memory, which must outlive this; the names stand in errors.
  PairEncoder(const TextLines& source, const std::string& source_name, const TextLines& target,
              const std::string& target_name, const SharedTokenizer& tokenizer,
              const FilterOptions& options, const std::string& language);

  /// Gives take() the pairs that pass the filters of the next lines, at most so many, in order; of none at the end. Throws
  /// where one text ends before the other.
  FilterReport encode(const Take& take, std::int64_t lines = kAll,
                      const TokenizeProgress& progress = {});
  /// The same of all, of which some must pass the filters.
  FilterReport encode_all(const Take& take, const TokenizeProgress& progress = {});
  /// Passes over the next lines, at most so many; over how many it did.
  std::int64_t skip(std::int64_t lines);

  /// Of the lines so far, with their ends.
  std::int64_t source_bytes() const { return source_bytes_; }
  std::int64_t target_bytes() const { return target_bytes_; }

 private:
  using Ids = std::vector<std::int32_t>;
  struct Part {
    std::vector<std::string> sources, targets;
  };

  static Lines of_text(const TextLines& text, const std::string& name);
  static Lines of_file(const TextColumn& text, std::size_t bytes, FaultyLines faulty);
  Part next(std::int64_t most);
  /// Takes the odd pairs out of a part, whose lines become empty. Which pairs stay.
  std::vector<bool> leave_out(Part& part, std::int64_t first) const;
  std::vector<Ids> ids_of(const std::vector<std::string>& lines, Side side) const;
  void check_fit(const Lines& side, std::int64_t line, const Ids& sentence) const;
  std::int64_t number_of(std::int64_t line) const;

  Lines source_, target_;
  SharedTokenizer tokenizer_;
  FilterOptions options_;
  std::string language_;
  PairFilter* odd_ = nullptr;
  std::int64_t lines_ = 0, tokens_ = 0, source_bytes_ = 0, target_bytes_ = 0;  // so far
};

/// What the pairs of a text depend on; or of what else tells it so, up to its "; ".
std::string made_of(const ParallelText& text, const Tokenizer& tokenizer,
                    const FilterOptions& options);
std::string made_of(const std::string& text, const Tokenizer& tokenizer,
                    const FilterOptions& options);

}  // namespace kette
