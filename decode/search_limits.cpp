#include "decode/search_limits.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "tensor/backend.h"
#include "tensor/error.h"

namespace kette {
namespace {

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
  return text;
}

/// The most pieces for a byte of text. The worst case is U+FDFA: compatibility composition turns its
/// three bytes into eighteen letters. One space is put in front.
constexpr std::size_t kMostPiecesPerByte = 6;

}  // namespace

std::optional<std::size_t> tokens_above(const Tokenizer& tokenizer, std::string_view text,
                                        Side side, std::size_t most) {
  if (kMostPiecesPerByte * text.size() < most) return std::nullopt;
  const std::size_t tokens = tokenizer.encode(text, side).size();
  return tokens > most ? std::optional(tokens) : std::nullopt;
}

std::int64_t longest_output(const SearchOptions& options, const Ensemble& model,
                            std::int64_t source_tokens) {
  const std::int64_t positions = model.positions() - 1;  // <s> takes one
  if (options.forced_length > 0) {
    KETTE_CHECK(options.forced_length <= model.positions(), "forced length: expected at most ",
                model.positions(), ", the positions of the model, given ", options.forced_length);
    return options.forced_length;
  }
  KETTE_CHECK(options.min_length <= positions, "min length: expected at most ", positions,
              ", as many tokens as the model has positions for, given ", options.min_length);
  const std::int64_t relative = source_tokens + std::min(options.extra_length, positions);
  const std::int64_t limit = std::clamp(relative, options.min_length, positions);
  return options.max_length > 0 ? std::min(limit, options.max_length) : limit;
}

void check_width(const SearchOptions& options, const Ensemble& model) {
  const SpecialTokens special = model.special();
  std::set<std::int32_t> banned = {special.pad, special.begin};  // equal in some models
  if (!options.allow_unknown) banned.insert(special.unknown);
  const std::int64_t choices = model.vocabulary() - static_cast<std::int64_t>(banned.size());
  KETTE_CHECK(options.beam <= choices, "beam: expected at most ", choices,
              ", as many as the model has tokens to choose from, given ", options.beam);
}

double row_bytes(const Ensemble& model, std::int64_t positions) {
  double bytes = 0;
  for (const auto& each : model.models()) {
    for (const Block& block : each->decoder()) {
      const SlotLayout layout = block.self_attention.slots(each->cache_type());
      bytes +=
          static_cast<double>(layout.max_slots(positions)) * static_cast<double>(layout.bytes());
    }
  }
  return bytes;
}

double search_bytes(const SearchOptions& options, std::int64_t rows, const Ensemble& model,
                    std::int64_t source_tokens) {
  // Keys and values of every step, layer and row (nn/kv_cache.h). In the worst case no past is shared.
  const std::int64_t steps = longest_output(options, model, source_tokens) + 1;
  return static_cast<double>(rows) * row_bytes(model, steps);
}

void check_memory(const SearchOptions& options, std::int64_t rows, const Ensemble& model,
                  std::int64_t source_tokens) {
  if (!model.device().overcommits()) return;  // such a device reports a lack of memory itself
  const double needed = search_bytes(options, rows, model, source_tokens),
               there = static_cast<double>(backend(model.device()).capacity());
  KETTE_CHECK(needed <= there,
              "beam or samples: expected as many as have their keys and values in the memory of ",
              gibibytes(there), ", given ", rows, ", which may take ", gibibytes(needed),
              " for a text of ", source_tokens,
              " tokens (fewer of them, or a lower max length, take less)");
}

}  // namespace kette
