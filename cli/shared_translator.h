// Translation by several processes: the first reads, deals out and writes, the others translate what they are dealt.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "decode/translator.h"
#include "train/communicator.h"

namespace kette::cli {

/// A message between processes: CBOR, which keeps numbers to the bit and takes text of any bytes.
/// T: what nlohmann's library makes of JSON (shared_translator.cpp has the list).
template <class T>
std::string packed(const T& value);
template <class T>
T unpacked(const std::string& message);

/// What translates with the others. Results are those of `translator`, which all have, bit for bit.
class SharedTranslator final : public SentenceTranslator {
 public:
  /// options, batch: those of the command line, which all have; translate() is given the same, or
  /// options.for_retry() for sentences with loops. All outlive this.
  SharedTranslator(const Translator& translator, const DecodingOptions& options,
                   const WorkOptions& work, Communicator& communicator)
      : translator_(translator), options_(options), work_(work), communicator_(communicator) {}

  /// What all processes come to: use(translator) in the first, and work for it in the others.
  void run(const std::function<void(const SentenceTranslator&)>& use);

  void translate(const std::vector<SourceSentence>& sentences, const DecodingOptions& options,
                 const WorkOptions& work, const TakeTranslation& take,
                 const SentenceProgress& progress = {}) const override;
  std::vector<UnitLinks> align(const std::vector<std::string>& sources,
                               const std::vector<std::string>& translations,
                               const std::string& language, const WorkOptions& work) const override;
  const SharedTokenizer& tokenizer() const override { return translator_.tokenizer(); }
  std::size_t longest_source(const std::string& language) const override {
    return translator_.longest_source(language);
  }

 private:
  /// Not worth the others' trouble.
  bool is_little(std::int64_t sentences) const;
  void work_for_first();
  /// What all find of a request of the first, which tells them of it.
  std::vector<std::string> ask(const nlohmann::ordered_json& request,
                               const SentenceProgress& progress) const;
  std::vector<std::string> answers(const nlohmann::ordered_json& request,
                                   const SentenceProgress& progress) const;

  const Translator& translator_;
  const DecodingOptions& options_;
  const WorkOptions& work_;
  Communicator& communicator_;
};

}  // namespace kette::cli
