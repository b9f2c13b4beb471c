#include "cli/shared_translator.h"

#include "data/files/json_text.h"

namespace kette::cli {
namespace {

Json to_json(const Translation& translation) {
  Json n_best = Json::array();
  for (const auto& [text, hypothesis, utility] : translation.n_best) {
    n_best.push_back({text, hypothesis.tokens, hypothesis.log_probability, hypothesis.score,
                      hypothesis.at_limit, utility});
  }
  return {translation.text, n_best, translation.truncated};
}

Translation translation_of(const Json& json) {
  Translation translation{json[0], {}, json[2]};
  for (const Json& one : json[1]) {
    translation.n_best.push_back({one[0], {one[1], one[2], one[3], one[4]}, one[5]});
  }
  return translation;
}

Json to_json(const SourceSentence& sentence) {
  return Json::array({sentence.text, sentence.language, sentence.prefix, sentence.loop,
                      sentence.truncate, sentence.number});
}

SourceSentence sentence_of(const Json& json) {
  return {json[0], json[1], json[2], json[3], json[4], json[5]};
}

}  // namespace

template <class T>
std::string packed(const T& value) {
  std::string text;
  Json::to_cbor(value, text);
  return text;
}
template <class T>
T unpacked(const std::string& message) {
  return Json::from_cbor(message).get<T>();
}
#define KETTE_PACKED(...)                          \
  template std::string packed(const __VA_ARGS__&); \
  template __VA_ARGS__ unpacked(const std::string&);
KETTE_PACKED(std::vector<std::string>)
KETTE_PACKED(std::vector<std::int32_t>)
KETTE_PACKED(std::pair<double, std::vector<float>>)
KETTE_PACKED(std::tuple<double, std::int64_t, std::int64_t>)
#undef KETTE_PACKED

void SharedTranslator::run(const std::function<void(const SentenceTranslator&)>& use) {
  if (communicator_.is_alone()) return use(translator_);
  if (!communicator_.is_first()) return work_for_first();
  use(*this);
  communicator_.all(std::string());  // the end
}

void SharedTranslator::work_for_first() {
  communicator_.set_wait_limit({});  // it may read what somebody types
  while (true) {
    const std::string request = communicator_.all(std::string()).front();
    if (request.empty()) return;
    answers(Json::from_cbor(request), {});
  }
}

std::vector<std::string> SharedTranslator::ask(const Json& request,
                                               const SentenceProgress& progress) const {
  communicator_.all(packed(request));
  return answers(request, progress);
}

std::vector<std::string> SharedTranslator::answers(const Json& request,
                                                   const SentenceProgress& progress) const {
  std::vector<std::string> texts;
  for (const Json& sentence : request["sentences"]) texts.push_back(sentence[0]);
  const std::vector<std::int64_t> costs = Communicator::costs_of(texts);
  return communicator_.share_out("translating", costs, [&](const Interval& mine) {
    std::vector<std::string> found;
    if (request.contains("language")) {
      std::vector<std::string> sources, translations;
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        sources.push_back(request["sentences"][i][0]);
        translations.push_back(request["sentences"][i][1]);
      }
      for (const UnitLinks& links :
           translator_.align(sources, translations, request["language"], work_)) {
        found.push_back(packed(links));
      }
      return found;
    }
    std::vector<SourceSentence> sentences;
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      sentences.push_back(sentence_of(request["sentences"][i]));
    }
    const bool are_loops = !sentences.empty() && !sentences.front().loop.empty();
    translator_.translate(
        sentences, are_loops ? options_.for_retry() : options_, work_,
        [&](std::int64_t, const Translation& translation) {
          found.push_back(packed(to_json(translation)));
        },
        progress);
    return found;
  });
}

bool SharedTranslator::is_little(std::int64_t sentences) const {
  return sentences < 2 * communicator_.processes();
}

void SharedTranslator::translate(const std::vector<SourceSentence>& sentences,
                                 const DecodingOptions& options, const WorkOptions& work,
                                 const TakeTranslation& take,
                                 const SentenceProgress& progress) const {
  if (is_little(std::ssize(sentences))) {
    return translator_.translate(sentences, options, work, take, progress);
  }
  Json all = Json::array();
  for (const SourceSentence& sentence : sentences) all.push_back(to_json(sentence));
  std::int64_t i = 0;
  for (const std::string& answer : ask({{"sentences", std::move(all)}}, progress)) {
    take(i++, translation_of(Json::from_cbor(answer)));
  }
}

std::vector<UnitLinks> SharedTranslator::align(const std::vector<std::string>& sources,
                                               const std::vector<std::string>& translations,
                                               const std::string& language,
                                               const WorkOptions& work) const {
  if (is_little(std::ssize(sources))) {
    return translator_.align(sources, translations, language, work);
  }
  Json all = Json::array();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    all.push_back(Json::array({sources[i], translations[i]}));
  }
  std::vector<UnitLinks> links;
  for (const std::string& answer :
       ask({{"sentences", std::move(all)}, {"language", language}}, {})) {
    links.push_back(Json::from_cbor(answer));
  }
  return links;
}

}  // namespace kette::cli
