// The models of a server, each with its engines. They translate texts and continue prompts. The
// results have the bits of `kette translate` and `kette generate`. There is no HTTP here.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/loaded_ensemble.h"
#include "decode/text_translator.h"
#include "serve/engine_host.h"

namespace kette {

struct TranslationCall {
  std::vector<std::string> texts;
  bool is_html = false;
  /// The meaning of a line feed in a text: the end of a paragraph, or as LineBreaks.
  enum class Split { lines, sentences, joined } split = Split::sentences;
  SearchOptions search{};
  bool with_sentences = false;  ///< whether TranslatedTexts::One::sentences is asked for
};

struct TranslatedTexts {
  struct Sentence {
    std::string source, text;
    std::string plain{};  ///< the source without its marks, as the model reads it
    std::vector<std::string> alternatives{};  ///< as those of a text
    SentenceNotes notes{};
    bool divided = false;  ///< TranslatedSentence::divided
  };
  struct One {
    std::string text;
    std::vector<std::string> alternatives{};  ///< others, falling; mended as it is
    std::vector<Sentence> sentences{};        ///< empty unless asked for
  };
  std::vector<One> texts;
  std::int64_t source_tokens = 0, target_tokens = 0, doubts = 0;
};

class ServedTranslator {
 public:
  /// name: "en-de" gives the languages. Other names need a model that knows its own.
  ServedTranslator(std::string name, const ModelFiles& files, const LoadOptions& loading,
                   const EngineHost::Options& options);

  const std::string& name() const { return name_; }
  const std::string& source() const { return source_; }
  const std::string& target() const { return target_; }
  /// The target in a vocabulary with a tag for it (Tokenizer::tag_of()), else "".
  const std::string& language() const { return language_; }
  const Tokenizer& tokenizer() const { return *translator_->tokenizer(); }
  const ModelFiles& files() const { return files_; }
  const EngineHost& host() const { return *host_; }

  /// check: see HostClient. An Error is the client's fault.
  TranslatedTexts translate(const TranslationCall& call, const std::function<void()>& check) const;

 private:
  std::string name_, source_, target_, language_;
  ModelFiles files_;
  std::optional<TextFacts> facts_;
  std::shared_ptr<const SentenceSplitter> splitter_;
  std::unique_ptr<Translator> translator_;
  std::unique_ptr<EngineHost> host_;
};

struct CompletionCall {
  std::vector<std::vector<std::int32_t>> prompts;  ///< each of at least one token
  SamplingOptions sampling{};
  std::int64_t n = 1, max_tokens = 16;  ///< texts for each prompt; most tokens of each text
  std::vector<std::string> stop{};      ///< strings that end a text; not part of it
};

struct Completion {
  std::string text;
  std::int64_t tokens = 0;
  bool is_cut = false;  ///< whether it has the most tokens
};

/// Called with each new part of a text at once. text: its index in the result of complete().
using OnText = std::function<void(std::int64_t text, const std::string& more)>;

class ServedGenerator {
 public:
  ServedGenerator(std::string name, const ModelFiles& files, const LoadOptions& loading,
                  const EngineHost::Options& options);

  const std::string& name() const { return name_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const ModelFiles& files() const { return files_; }
  std::int64_t positions() const { return host_->model().positions(); }
  const EngineHost& host() const { return *host_; }
  /// Of a prompt; a new text begins with the mark that ends others.
  std::vector<std::int32_t> tokens_of(const std::string& prompt) const;

  /// The n texts of the first prompt, then those of the second, and so on.
  std::vector<Completion> complete(const CompletionCall& call, const OnText& on_text,
                                   const std::function<void()>& check) const;

 private:
  std::string name_;
  ModelFiles files_;
  SharedTokenizer tokenizer_;
  std::unique_ptr<EngineHost> host_;
};

struct NamedFolder {
  std::string name;
  std::filesystem::path folder;
};

struct ServedModels {
  std::vector<std::unique_ptr<ServedTranslator>> translators;
  std::vector<std::unique_ptr<ServedGenerator>> generators;
};
/// An Error for a folder that cannot be served, and if two models have the same name.
/// options.memory is for all models together. Each gets an equal share.
ServedModels load_served_models(const std::vector<NamedFolder>& folders, const LoadOptions& loading,
                                const EngineHost::Options& options);

}  // namespace kette
