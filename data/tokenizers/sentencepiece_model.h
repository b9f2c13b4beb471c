// Loads a SentencePiece model from its bytes. The library rejects a model by a status, or, if its
// tries cannot hold the pieces, by an exception.
#pragma once

#include <sentencepiece_processor.h>

#include <string>
#include <string_view>

#include "tensor/error.h"

namespace kette {

/// U+2581, a space in pieces.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// name: for the Error if the bytes are not a model.
inline void load_sentencepiece(std::string_view bytes, const std::string& name,
                               sentencepiece::SentencePieceProcessor& processor) {
  bool loaded = false;
  try {
    loaded = !bytes.empty() && processor.LoadFromSerializedProto(bytes).ok();
  } catch (const std::exception&) {
  }
  KETTE_CHECK(loaded, name, ": expected a SentencePiece model, given ", bytes.size(),
              " bytes that are none, or a damaged one (copy it or train the tokenizer again)");
}

inline void check_encoded(const sentencepiece::util::Status& status) {
  KETTE_CHECK(status.ok(),
              "Tokenizer: expected text that SentencePiece can take, given some that it refuses (",
              status.message(), ")");
}

}  // namespace kette
