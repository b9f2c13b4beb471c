#include "serve/served_models.h"

#include <algorithm>
#include <regex>
#include <set>
#include <tuple>
#include <utility>

#include "data/documents/formats.h"
#include "data/files/utf8.h"
#include "data/sentences/likely_language.h"
#include "decode/sampled_texts.h"
#include "decode/search_limits.h"
#include "decode/text_pieces.h"
#include "models/config_json.h"
#include "models/families.h"
#include "serve/ranked_translator.h"
#include "tensor/backend.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

/// A text as a document of blocks to translate: HTML, lines or paragraphs.
std::unique_ptr<Document> document_of(const std::string& text, const TranslationCall& call) {
  const bool joins = call.split == TranslationCall::Split::joined;
  return read_document(call.is_html ? DocumentFormat::html : DocumentFormat::text, text, "text",
                       {joins, {}});
}

/// A part of a text with its marks, such as addresses.
std::string with_marks(const std::string& text, const std::vector<Mark>& marks, std::size_t begin,
                       std::size_t end) {
  std::string whole;
  std::size_t at = begin;
  for (const Mark& mark : marks) {
    if (mark.at < at || mark.at > end || (mark.at == end && end < text.size())) continue;
    whole.append(text, at, mark.at - at);
    whole += mark.bytes;
    at = mark.at + (mark.kind == Mark::Kind::breaks ? 1 : 0);
  }
  return at < end ? whole.append(text, at, end - at) : whole;
}

/// The translations of a text's sentences, with their marks.
std::vector<std::string> texts_of_sentences(const TranslatedText& translated) {
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const TranslatedSentence& found : translated.sentences) {
    const std::size_t begin = translated.text.find(found.text, at);
    if (begin == std::string::npos) {
      texts.push_back(found.text);
      continue;
    }
    at = begin + found.text.size();
    texts.push_back(with_marks(translated.text, translated.marks, begin, at));
  }
  return texts;
}

/// by_rank: the translations of all texts, the best ones first, of which this is number `text`.
std::vector<TranslatedTexts::Sentence> sentences_of(
    const std::vector<std::vector<TranslatedText>>& by_rank, std::size_t text,
    const TextBlock& source) {
  std::vector<TranslatedTexts::Sentence> sentences;
  for (const auto& texts : by_rank) {
    const std::vector<std::string> of_rank = texts_of_sentences(texts[text]);
    if (sentences.empty()) sentences.resize(of_rank.size());
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      TranslatedTexts::Sentence& one = sentences[i];
      if (&texts == &by_rank.front()) {
        const TranslatedSentence& found = texts[text].sentences[i];
        one.plain = found.part.of(source.text);
        one.source = with_marks(source.text, source.marks, found.part.begin, found.part.end);
        one.text = of_rank[i];
        one.notes = found.notes;
        one.divided = found.divided;
        continue;
      }
      const auto& known = one.alternatives;
      const bool is_new = of_rank[i] != one.text &&
                          std::find(known.begin(), known.end(), of_rank[i]) == known.end();
      if (is_new) one.alternatives.push_back(of_rank[i]);
    }
  }
  return sentences;
}

/// From which language to which a model translates. Two codes as its name come first: the model's own
/// languages are a guess, and only among a few.
std::pair<std::string, std::string> languages_of(const std::string& name,
                                                 const std::filesystem::path& folder,
                                                 const std::optional<TextFacts>& facts) {
  // Each with its script and region, if it has them: "en-de", "pt-BR-zh_Hans".
  static const std::string language = "([a-z]{2,3}(?:[-_][A-Z][a-z]{3})?(?:[-_][A-Z0-9]{2,3})?)";
  static const std::regex pair(language + "-" + language);
  std::smatch parts;
  if (std::regex_match(name, parts, pair)) return {parts.str(1), parts.str(2)};
  const bool is_known = facts && !facts->source_language.empty() && !facts->target_language.empty();
  KETTE_CHECK(is_known, folder.string(),
              ": expected the languages of a translation model in its name, as en-de, given ", name,
              " (--model en-de=DIR)");
  return {facts->source_language, facts->target_language};
}

}  // namespace

ServedTranslator::ServedTranslator(std::string name, const ModelFiles& files,
                                   const LoadOptions& loading, const EngineHost::Options& options)
    : name_(std::move(name)), files_(files), facts_(load_text_facts(files.folder)) {
  std::tie(source_, target_) = languages_of(name_, files.folder, facts_);
  const LoadedEnsemble<Transformer> loaded = load_ensemble<Transformer>({files}, loading);
  if (loaded.tokenizer->needs_language()) loaded.tokenizer->expected_tag_of(target_);
  if (loaded.tokenizer->tag_of(target_)) language_ = target_;
  const auto languages = SentenceSplitter::languages();
  const bool has_rules = std::find(languages.begin(), languages.end(), source_) != languages.end();
  splitter_ = std::make_shared<const SentenceSplitter>(has_rules ? source_ : "en");
  translator_ = std::make_unique<Translator>(loaded.models, loaded.tokenizer, loaded.types);
  loaded.release();
  host_ = std::make_unique<EngineHost>(translator_->model(), options);
}

TranslatedTexts ServedTranslator::translate(const TranslationCall& call,
                                            const std::function<void()>& check) const {
  HostClient client(*host_, check);
  TextTranslateOptions how;
  how.decoding.search = call.search;
  how.work = {.threads = 1, .runner = &client};
  how.facts = facts_;
  how.language = language_;
  how.mend = true;
  if (call.split != TranslationCall::Split::lines) {
    how.splitter = splitter_;
    if (facts_) {
      how.together = facts_->sentences;
      how.together_tokens = facts_->source_tokens;
    }
  }
  std::vector<std::unique_ptr<Document>> documents;
  std::vector<SourceText> sources;
  for (const std::string& text : call.texts) {
    documents.push_back(document_of(text, call));
    for (const TextBlock& block : documents.back()->blocks()) {
      sources.push_back({block.text, block.marks});
    }
  }
  RankedTranslator ranked(*translator_);
  const auto translated = [&](std::size_t rank) {
    ranked.choose(rank);
    std::vector<TranslatedText> texts;
    TextTranslator(ranked, how).translate(sources, [&](std::int64_t, TranslatedText one) {
      KETTE_CHECK(one.fault.empty(), one.fault);
      texts.push_back(std::move(one));
    });
    return texts;
  };
  std::vector<std::vector<TranslatedText>> by_rank = {translated(0)};
  for (std::size_t rank = 1; rank < ranked.ranks(); ++rank) by_rank.push_back(translated(rank));
  TranslatedTexts result;
  std::size_t first = 0;  // block of a document
  for (const std::unique_ptr<Document>& document : documents) {
    const auto& sources_of = document->blocks();
    TranslatedTexts::One& one = result.texts.emplace_back();
    const auto text_of = [&](const std::vector<TranslatedText>& texts) {
      std::vector<TextBlock> blocks;
      for (std::size_t i = first; i < first + sources_of.size(); ++i) {
        blocks.push_back({texts[i].text, texts[i].marks});
      }
      return document->with(blocks);
    };
    one.text = text_of(by_rank.front());
    std::set<std::string> known = {one.text};
    for (std::size_t rank = 1; rank < by_rank.size(); ++rank) {
      std::string other = text_of(by_rank[rank]);
      if (known.insert(other).second) one.alternatives.push_back(std::move(other));
    }
    for (std::size_t i = 0; i < sources_of.size(); ++i) {
      const std::size_t number = first + i;
      if (call.with_sentences) {
        for (auto& sentence : sentences_of(by_rank, number, sources_of[i])) {
          one.sentences.push_back(std::move(sentence));
        }
      }
      for (const TranslatedSentence& sentence : by_rank.front()[number].sentences) {
        result.doubts += sentence.notes.are_doubts() ? 1 : 0;
        if (sentence.translation.n_best.empty()) continue;
        result.target_tokens += std::ssize(sentence.translation.n_best.front().hypothesis.tokens);
      }
      result.source_tokens += std::ssize(translator_->tokenizer()->encode(sources_of[i].text));
    }
    first += sources_of.size();
  }
  return result;
}

ServedGenerator::ServedGenerator(std::string name, const ModelFiles& files,
                                 const LoadOptions& loading, const EngineHost::Options& options)
    : name_(std::move(name)), files_(files) {
  EngineHost::Options engines = options;
  // One engine with all threads reads the weights once for the few rows, and has all kept prompts.
  engines.engines = 1;
  const LoadedEnsemble<Gpt> loaded = load_ensemble<Gpt>({files}, loading);
  tokenizer_ = loaded.tokenizer;
  const Ensemble ready = loaded.models.for_decoding(loaded.types);
  loaded.release();
  host_ = std::make_unique<EngineHost>(ready, engines);
}

Ids ServedGenerator::tokens_of(const std::string& prompt) const {
  Ids ids = tokenizer_->encode(prompt);
  if (ids.empty()) ids.push_back(tokenizer_->special().end);
  return ids;
}

std::vector<Completion> ServedGenerator::complete(const CompletionCall& call, const OnText& on_text,
                                                  const std::function<void()>& check) const {
  HostClient client(*host_, check);
  std::vector<Completion> texts;
  std::vector<TextPieces> pieces;
  for (const Ids& prompt : call.prompts) {
    texts.resize(texts.size() + static_cast<std::size_t>(call.n));
    pieces.resize(texts.size(), TextPieces(*tokenizer_, prompt, call.stop));
  }
  const auto tell = [&](std::int64_t text, const std::string& more) {
    texts[text].text += more;
    if (on_text && !more.empty()) on_text(text, more);
  };
  const auto hear = [&](std::int64_t text, std::int32_t token) {
    if (pieces[text].has_ended()) return;
    ++texts[text].tokens;
    tell(text, pieces[text].add(token));
  };
  const auto make = [&](std::int64_t number) {
    const std::int64_t first = number * call.n;
    Request request{0, {}, call.prompts[number]};
    request.banned = without_pieces(*tokenizer_, host_->model().vocabulary());
    const SampledTexts::Options options{call.sampling, call.n, call.max_tokens,
                                        tokenizer_->special().end};
    // An engine may call this when the client is gone. So it has its own pieces to find the stops.
    std::vector<TextPieces> heard;
    if (!call.stop.empty()) heard.assign(pieces.begin() + first, pieces.begin() + first + call.n);
    request.policy = std::make_unique<SampledTexts>(
        options, [post = client.post(), &hear, first, heard = std::move(heard)](
                     std::int64_t copy, std::int32_t token) mutable {
          post([&hear, text = first + copy, token] { hear(text, token); });
          if (heard.empty()) return true;
          heard[copy].add(token);
          return !heard[copy].has_ended();
        });
    request.done = [&, first](const std::vector<Hypothesis>& found) {
      for (std::int64_t copy = 0; copy < call.n; ++copy) {
        if (pieces[first + copy].has_ended()) continue;
        texts[first + copy].is_cut = std::ssize(found[copy].tokens) == call.max_tokens;
        tell(first + copy, pieces[first + copy].finish());
      }
    };
    return request;
  };
  client.run(std::ssize(call.prompts), make);
  return texts;
}

ServedModels load_served_models(const std::vector<NamedFolder>& folders, const LoadOptions& loading,
                                const EngineHost::Options& options) {
  std::set<std::string> names;
  for (const NamedFolder& one : folders) {
    KETTE_CHECK(names.insert(one.name).second,
                "serve: expected a name of its own for each model, given ", one.name, " twice");
  }
  EngineHost::Options each = options;
  if (each.memory <= 0) {
    each.memory = static_cast<double>(backend(loading.device).capacity()) / 2;
  }
  each.memory /= static_cast<double>(folders.size());
  ServedModels models;
  for (const auto& [name, folder] : folders) {
    const auto config = read_config(folder);
    if (dynamic_cast<const TransformerConfig*>(config.get()) != nullptr) {
      models.translators.push_back(
          std::make_unique<ServedTranslator>(name, ModelFiles{folder, {}}, loading, each));
    } else if (dynamic_cast<const GptConfig*>(config.get()) != nullptr) {
      models.generators.push_back(
          std::make_unique<ServedGenerator>(name, ModelFiles{folder, {}}, loading, each));
    } else {
      fail(folder.string(), ": expected a model that translates or writes text, given a ",
           config->family().what);
    }
  }
  return models;
}

}  // namespace kette
