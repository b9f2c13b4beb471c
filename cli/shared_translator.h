// Translation by several processes. The first reads the input, distributes sentences and writes the output. All
// translate.
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

/// Shares translation among processes. Results are those of `translator` bit for bit.
class SharedTranslator final : public SentenceTranslator {
 public:
  /// All processes have the same translator, options and work. translate() must get the same options, or
  /// options.for_retry() for sentences with loops. All arguments must outlive this.
  SharedTranslator(const Translator& translator, const DecodingOptions& options,
                   const WorkOptions& work, Communicator& communicator)
      : translator_(translator), options_(options), work_(work), communicator_(communicator) {}

  /// All processes must call it. Calls use(translator) in the first; the others work for it until that returns.
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
  /// Whether there are too few sentences to share.
  bool is_little(std::int64_t sentences) const;
  void work_for_first();
  /// Sends a request to all processes and returns their answers.
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
