#include "data/corpora/masking.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/corpora/purpose.h"
#include "data/corpora/shuffled_place.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

constexpr double kMasked = 0.8, kReplaced = 0.1;

/// Appends sequences of these lengths.
Segments appended(const Segments& segments, std::int64_t length) {
  std::vector<std::int64_t> offsets = segments.offsets();
  offsets.push_back(offsets.back() + length);
  return Segments(std::move(offsets));
}

WindowOptions without_marks(WindowOptions options) {
  KETTE_CHECK(options.context > Masking::kMarks, "context: expected at least ", Masking::kMarks + 1,
              " tokens, the marks of begin and end counted, given ", options.context);
  options.context -= Masking::kMarks;
  return options;
}

}  // namespace

Masking::Masking(const Tokenizer& tokenizer, const MaskingOptions& options)
    : options_(options),
      special_(tokenizer.special()),
      mask_(tokenizer.expected_mask()),
      vocabulary_(tokenizer.vocabulary()) {
  KETTE_CHECK(options.share > 0 && options.share < 1,
              "masks: expected a share between 0 and 1, given ", options.share);
  for (std::int32_t id = 0; id < vocabulary_ && options.whole_words; ++id) {
    edges_.push_back(tokenizer.edges(id));
  }
}

std::vector<std::int32_t> between_marks(std::span<const std::int32_t> text,
                                        const SpecialTokens& special) {
  std::vector<std::int32_t> ids = {special.begin};
  ids.insert(ids.end(), text.begin(), text.end());
  ids.push_back(special.end);
  return ids;
}

std::vector<std::int32_t> encode_with_masks(const Tokenizer& tokenizer, std::string_view text) {
  constexpr std::string_view kMask = kMaskPiece;
  const std::int32_t mask = tokenizer.expected_mask();
  std::vector<std::int32_t> ids;
  while (true) {
    const std::size_t at = text.find(kMask);
    std::string_view before = text.substr(0, at);
    const bool masks = at != std::string_view::npos;
    if (masks && before.ends_with(' ') && tokenizer.kind() != "character") before.remove_suffix(1);
    const std::vector<std::int32_t> more = tokenizer.encode(before);
    ids.insert(ids.end(), more.begin(), more.end());
    if (!masks) return ids;
    ids.push_back(mask);
    text.remove_prefix(at + kMask.size());
  }
}

/// What is chosen together: words, or tokens. Marks between documents are in none, unless the text has
/// nothing else.
std::vector<Masking::Word> Masking::words_of(std::span<const std::int32_t> text) const {
  std::vector<Word> words;
  const auto is_mark = [this](std::int32_t id) {
    return id == special_.begin || id == special_.end;
  };
  const bool only_marks = std::all_of(text.begin(), text.end(), is_mark);
  for (const std::int32_t id : text) {
    KETTE_CHECK(!options_.whole_words || (id >= 0 && id < vocabulary_),
                "masks: expected ids of the tokenizer, from 0 to ", vocabulary_ - 1, ", given ",
                id);
  }
  for (std::int64_t i = 0; i < std::ssize(text); ++i) {
    if (is_mark(text[i]) && !only_marks) continue;
    const bool goes_on = options_.whole_words && !words.empty() && words.back().end == i &&
                         edges_[text[i - 1]].ends_inside && edges_[text[i]].begins_inside;
    if (goes_on) {
      ++words.back().end;
    } else {
      words.push_back({i, i + 1});
    }
  }
  return words;
}

/// The places that are chosen, rising: words in random order, as many as have room in the share.
std::vector<std::int64_t> Masking::chosen(std::span<const std::int32_t> text,
                                          std::uint64_t key) const {
  const std::vector<Word> words = words_of(text);
  const auto wanted =
      std::max<std::int64_t>(1, std::llround(options_.share * static_cast<double>(text.size())));
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < std::ssize(words) && std::ssize(places) < wanted; ++i) {
    const Word word = words[shuffled_place(i, std::ssize(words), key)];
    const bool has_room = std::ssize(places) + word.end - word.begin <= wanted;
    if (!has_room && !(places.empty() && i + 1 == std::ssize(words))) continue;
    for (std::int64_t at = word.begin; at < word.end; ++at) places.push_back(at);
  }
  std::sort(places.begin(), places.end());
  return places;
}

void Masking::add(std::span<const std::int32_t> text, std::uint64_t key, Batch& batch) const {
  std::vector<std::int32_t> ids = between_marks(text, special_);
  const std::vector<std::int64_t> places = chosen(text, key);
  for (const std::int64_t at : places) {
    const std::uint64_t own = hash_of(key, at);
    const double chance = unit_interval(own);
    std::int32_t& id = ids[at + 1];
    batch.target_in.push_back(static_cast<std::int32_t>(at + 1));
    batch.target_out.push_back(id);
    if (chance < kMasked) {
      id = mask_;
    } else if (chance < kMasked + kReplaced) {
      id =
          static_cast<std::int32_t>(unit_interval(hash_of(own)) * static_cast<double>(vocabulary_));
    }
  }
  batch.source.insert(batch.source.end(), ids.begin(), ids.end());
  batch.source_segments = appended(batch.source_segments, std::ssize(ids));
  batch.target_segments = appended(batch.target_segments, std::ssize(places));
}

Batch Masking::masked(const Batch& windows, std::uint64_t salt) const {
  Batch batch;
  const Segments& segments = windows.target_segments;
  const std::span<const std::int32_t> ids = windows.target_in;
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    add(ids.subspan(segments.begin(i), segments.length(i)),
        hash_of(Purpose::masks, salt, windows.sentence_ids[i]), batch);
  }
  batch.sentence_ids = windows.sentence_ids;
  return batch;
}

MaskedSampler::MaskedSampler(std::vector<TokenStream> texts, const Masking& masking,
                             const WindowOptions& options)
    : masking_(&masking), seed_(options.seed), windows_(std::move(texts), without_marks(options)) {}

Batch MaskedSampler::peek(std::int64_t ahead) const {
  WindowSampler there = windows_;
  there.skip(ahead);
  const auto epoch = static_cast<std::uint64_t>(there.state().epoch);
  return masking_->masked(there.peek(0), hash_of(seed_, epoch));
}

}  // namespace kette
