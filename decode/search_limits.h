// What a beam search cannot do, said before it starts.
#pragma once

#include <optional>

#include "data/tokenizers/tokenizer.h"
#include "decode/beam.h"
#include "decode/ensemble.h"

namespace kette {

/// How many tokens a text has, if they are more than so many. Short texts are not looked at.
std::optional<std::size_t> tokens_above(const Tokenizer& tokenizer, std::string_view text,
                                        Side side, std::size_t most);

/// The most tokens of an output, end mark not counted, for a source of so many: no fewer than the least.
std::int64_t longest_output(const SearchOptions& options, const Ensemble& model,
                            std::int64_t source_tokens);

/// An Error unless the model has as many tokens to choose from as the beam is wide. The search takes
/// wider ones, too, which are then filled by longer hypotheses; a person who asks for one is mistaken.
void check_width(const SearchOptions& options, const Ensemble& model);

/// Bytes of the keys and values that one row of so many positions keeps, at most. model: made ready for decoding.
double row_bytes(const Ensemble& model, std::int64_t positions);
/// Bytes of the keys and values that a search for one sentence keeps, at most. rows: the beam, or as many texts as
/// are drawn at once. model: made ready for decoding.
double search_bytes(const SearchOptions& options, std::int64_t rows, const Ensemble& model,
                    std::int64_t source_tokens);
/// An Error with that estimate if it is more than the machine has.
void check_memory(const SearchOptions& options, std::int64_t rows, const Ensemble& model,
                  std::int64_t source_tokens);

}  // namespace kette
