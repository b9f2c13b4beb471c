// Limits of a beam search that are checked before it starts.
#pragma once

#include <optional>

#include "data/tokenizers/tokenizer.h"
#include "decode/beam.h"
#include "decode/ensemble.h"

namespace kette {

/// The number of tokens of a text if it exceeds `most`; otherwise empty. Short texts are not
/// tokenized.
std::optional<std::size_t> tokens_above(const Tokenizer& tokenizer, std::string_view text,
                                        Side side, std::size_t most);

/// The most output tokens, without end mark, for a source of `source_tokens`; at least
/// options.min_length. An Error if the model has too few positions for the options' lengths.
std::int64_t longest_output(const SearchOptions& options, const Ensemble& model,
                            std::int64_t source_tokens);

/// An Error if the beam is wider than the number of tokens to choose from. A wider search would
/// work, filled by longer hypotheses, but is most likely a mistake.
void check_width(const SearchOptions& options, const Ensemble& model);

/// The most bytes of keys and values of one row with this many positions. model: from for_decoding().
double row_bytes(const Ensemble& model, std::int64_t positions);
/// The most bytes of keys and values that a search for one sentence needs. rows: the beam, or the
/// number of texts sampled at once. model: from for_decoding().
double search_bytes(const SearchOptions& options, std::int64_t rows, const Ensemble& model,
                    std::int64_t source_tokens);
/// An Error with this estimate if it exceeds the machine's memory.
void check_memory(const SearchOptions& options, std::int64_t rows, const Ensemble& model,
                  std::int64_t source_tokens);

}  // namespace kette
