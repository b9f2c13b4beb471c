// Translation by several processes: the first reads, deals out and writes, the others translate what they are dealt.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "decode/translator.h"
#include "train/communicator.h"

namespace kette::cli {

/// A message between processes: CBOR, which keeps numbers to the bit and takes text of any bytes.
std::string packed(const nlohmann::ordered_json& json);

/// What translates with the others. Results are those of `translator`, which all have, bit for bit.
class SharedTranslator final : public SentenceTranslator {
 public:
  /// options: those of the command line, which all have; translate() may be given them with another first_number and
  /// truncate, or without() loops. All outlive this.
  SharedTranslator(const Translator& translator, const TranslateOptions& options,
                   Communicator& communicator)
      : translator_(translator), options_(options), communicator_(communicator) {}

  /// What all processes come to: use(translator) in the first, and work for it in the others.
  void run(const std::function<void(const SentenceTranslator&)>& use);

  void translate(const std::vector<std::string>& lines, const TranslateOptions& options,
                 const TakeTranslation& take, const SentenceProgress& progress = {},
                 const std::vector<std::string>& prefixes = {}) const override;
  std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                               const std::vector<std::string>& translations,
                               const TranslateOptions& options) const override;
  const SharedTokenizer& tokenizer() const override { return translator_.tokenizer(); }
  std::size_t longest_source(const std::string& language) const override {
    return translator_.longest_source(language);
  }

 private:
  /// Not worth the others' trouble.
  bool is_little(const std::vector<std::string>& lines) const;
  void work_for_first();
  /// What all find of a request of the first, which tells them of it.
  std::vector<std::string> ask(const nlohmann::ordered_json& request,
                               const SentenceProgress& progress) const;
  std::vector<std::string> answers(const nlohmann::ordered_json& request,
                                   const SentenceProgress& progress) const;

  const Translator& translator_;
  const TranslateOptions& options_;
  Communicator& communicator_;
};

}  // namespace kette::cli
