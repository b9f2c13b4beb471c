#include "decode/loaded_ensemble.h"

namespace kette {

void check_same_tokens(const ModelFiles& first, const Tokenizer& tokenizer, const ModelFiles& other,
                       const Tokenizer& others) {
  KETTE_CHECK(tokenizer.fingerprint() == others.fingerprint(), other.folder.string(),
              ": expected the tokenizer of ", first.folder.string(),
              ", for models that write together share their tokens, given another one (train them "
              "with the same --tokenizer)");
}

}  // namespace kette
