#include "data/corpora/lexicon.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "data/files/safetensors.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr const char* kTokenizerKey = "tokenizer";
constexpr const char* kRunKey = "run";

using Pieces = std::vector<std::int32_t>;

/// The `most` ids that `is_before` puts first, rising.
template <class Before>
Pieces first_of(Pieces ids, std::int64_t most, const Before& is_before) {
  const auto end = ids.begin() + std::min(most, std::ssize(ids));
  std::partial_sort(ids.begin(), end, ids.end(), is_before);
  ids.erase(end, ids.end());
  std::sort(ids.begin(), ids.end());
  return ids;
}

Pieces most_frequent(const TokenLists& target, std::int64_t vocabulary, std::int64_t most) {
  std::vector<std::int64_t> times(static_cast<std::size_t>(vocabulary));
  for (std::int64_t i = 0; i < target.size(); ++i) {
    for (const std::int32_t id : target[i]) ++times[id];
  }
  Pieces ids(times.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::erase_if(ids, [&](std::int32_t id) { return times[id] == 0; });
  return first_of(std::move(ids), most, [&](std::int32_t a, std::int32_t b) {
    return times[a] > times[b] || (times[a] == times[b] && a < b);
  });
}

Pieces likeliest(const std::vector<LexicalTranslation>& row, std::int64_t most) {
  Pieces places(row.size());
  std::iota(places.begin(), places.end(), 0);
  Pieces pieces = first_of(std::move(places), most, [&](std::int32_t a, std::int32_t b) {
    return row[a].probability > row[b].probability ||
           (row[a].probability == row[b].probability && a < b);
  });
  for (std::int32_t& piece : pieces) piece = row[piece].target;
  return pieces;
}

Pieces all_of(const SafetensorsFile& file, const std::string& path, const char* name) {
  KETTE_CHECK(file.contains(name) && file.stored_dtype(name) == "I32", path,
              ": expected a lexicon, with a tensor \"", name, "\" of i32, given none");
  return file.elements<std::int32_t>(name, 0, file.shape(name).elements());
}

}  // namespace

void LexiconOptions::check() const {
  KETTE_CHECK(best >= 1, "best: expected at least 1 target piece of each source piece, given ",
              best);
  KETTE_CHECK(frequent >= 1, "frequent: expected at least 1 target piece, given ", frequent);
  model.check();
}

Lexicon Lexicon::of(const TokenLists& source, const TokenLists& target, std::int64_t vocabulary,
                    const LexiconOptions& options, const Model1Progress& progress) {
  options.check();
  const LexicalTable table = ibm_model1(source, target, vocabulary, options.model, progress);
  Lexicon lexicon;
  lexicon.frequent_ = most_frequent(target, vocabulary, options.frequent);
  lexicon.begins_.push_back(0);
  for (std::int64_t id = 0; id < vocabulary; ++id) {
    const Pieces pieces = likeliest(table[id], options.best);
    lexicon.best_.insert(lexicon.best_.end(), pieces.begin(), pieces.end());
    KETTE_CHECK(lexicon.entries() <= std::numeric_limits<std::int32_t>::max(),
                "lexicon: expected at most 2^31 - 1 entries, given more (take a lower best)");
    lexicon.begins_.push_back(static_cast<std::int32_t>(lexicon.entries()));
  }
  return lexicon;
}

void Lexicon::save(const std::filesystem::path& file, const Tokenizer& tokenizer) const {
  write_safetensors(file,
                    {{"frequent", Tensor::from(frequent_)},
                     {"begins", Tensor::from(begins_)},
                     {"best", Tensor::from(best_)}},
                    {{kTokenizerKey, tokenizer.fingerprint()}, {kRunKey, run_}}, Checksum::crc32);
}

Lexicon Lexicon::load(const std::filesystem::path& file, const Tokenizer& tokenizer,
                      const std::string& run) {
  KETTE_CHECK(std::filesystem::exists(file), file.string(),
              ": expected a lexicon for a shortlist, given none (make one of the training data: "
              "kette lexicon --model ",
              file.parent_path().string(), " --src FILE --tgt FILE)");
  const SafetensorsFile stored = SafetensorsFile::open(file, Checksum::crc32);
  const auto made_for = stored.metadata().find(kTokenizerKey);
  const std::string given = made_for != stored.metadata().end() ? made_for->second : "none";
  KETTE_CHECK(given == tokenizer.fingerprint(), file.string(),
              ": expected a lexicon of the model's tokenizer, ", tokenizer.fingerprint(),
              ", given one of ", given, " (make it anew with kette lexicon)");
  Lexicon lexicon;
  if (const auto of_run = stored.metadata().find(kRunKey); of_run != stored.metadata().end()) {
    lexicon.run_ = of_run->second;
  }
  KETTE_CHECK(run.empty() || lexicon.run_.empty() || lexicon.run_ == run, file.string(),
              ": expected a lexicon of the model's own run, ", run, ", given one of ", lexicon.run_,
              ", another model's (make it anew with kette lexicon)");
  lexicon.frequent_ = all_of(stored, file.string(), "frequent");
  lexicon.begins_ = all_of(stored, file.string(), "begins");
  lexicon.best_ = all_of(stored, file.string(), "best");
  lexicon.check(file.string());
  KETTE_CHECK(lexicon.vocabulary() == tokenizer.vocabulary(), file.string(),
              ": expected a lexicon of ", tokenizer.vocabulary(), " source pieces, given one of ",
              lexicon.vocabulary());
  return lexicon;
}

void Lexicon::check(const std::string& file) const {
  const bool is_list = !begins_.empty() && begins_.front() == 0 && begins_.back() == entries() &&
                       std::is_sorted(begins_.begin(), begins_.end());
  const auto is_piece = [&](std::int32_t id) { return id >= 0 && id < vocabulary(); };
  KETTE_CHECK(is_list && std::all_of(frequent_.begin(), frequent_.end(), is_piece) &&
                  std::all_of(best_.begin(), best_.end(), is_piece),
              file, ": expected a lexicon, given lists that do not fit together");
}

Pieces Lexicon::pieces_for(std::span<const std::int32_t> source) const {
  Pieces pieces = frequent_;
  for (const std::int32_t id : source) {
    pieces.push_back(id);
    pieces.insert(pieces.end(), best_.begin() + begins_[id], best_.begin() + begins_[id + 1]);
  }
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  return pieces;
}

void copy_lexicon(const std::filesystem::path& from_model, const std::filesystem::path& to_model,
                  const Tokenizer& tokenizer) {
  const std::filesystem::path file = from_model / kLexiconFile;
  if (std::filesystem::exists(file)) {
    Lexicon::load(file, tokenizer).save(to_model / kLexiconFile, tokenizer);
  }
}

}  // namespace kette
