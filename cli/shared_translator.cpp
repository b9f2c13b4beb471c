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

}  // namespace

std::string packed(const nlohmann::ordered_json& json) {
  std::string text;
  Json::to_cbor(json, text);
  return text;
}

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
  const std::vector<std::string> lines = request["lines"];
  const std::vector<std::int64_t> costs = Communicator::costs_of(lines);
  return communicator_.share_out("translating", costs, [&](const Interval& mine) {
    const auto part = [&]<class List>(const List& all) {
      return all.empty() ? all : List(all.begin() + mine.begin, all.begin() + mine.end);
    };
    std::vector<std::string> found;
    if (request.contains("translations")) {
      const std::vector<std::string> translations = request["translations"];
      for (const UnitLinks& links : translator_.align(part(lines), part(translations), options_)) {
        found.push_back(packed(links));
      }
      return found;
    }
    const std::vector<std::string> prefixes = request["prefixes"];
    const std::vector<std::vector<std::int32_t>> loops = request["loops"];
    TranslateOptions options = loops.empty() ? options_ : options_.without(part(loops));
    options.first_number = request["first_number"].get<std::int64_t>() + mine.begin;
    options.truncate = request["truncate"];
    translator_.translate(
        part(lines), options,
        [&](std::int64_t, const Translation& translation) {
          found.push_back(packed(to_json(translation)));
        },
        progress, part(prefixes));
    return found;
  });
}

bool SharedTranslator::is_little(const std::vector<std::string>& lines) const {
  return std::ssize(lines) < 2 * communicator_.processes();
}

void SharedTranslator::translate(const std::vector<std::string>& lines,
                                 const TranslateOptions& options, const TakeTranslation& take,
                                 const SentenceProgress& progress,
                                 const std::vector<std::string>& prefixes) const {
  if (is_little(lines)) return translator_.translate(lines, options, take, progress, prefixes);
  std::int64_t line = 0;
  for (const std::string& answer : ask({{"lines", lines},
                                        {"prefixes", prefixes},
                                        {"loops", options.loops},
                                        {"first_number", options.first_number},
                                        {"truncate", options.truncate}},
                                       progress)) {
    take(line++, translation_of(Json::from_cbor(answer)));
  }
}

std::vector<UnitLinks> SharedTranslator::align(const std::vector<std::string>& sources,
                                               const std::vector<std::string>& translations,
                                               const TranslateOptions& options) const {
  if (is_little(sources)) return translator_.align(sources, translations, options);
  std::vector<UnitLinks> links;
  for (const std::string& answer : ask({{"lines", sources}, {"translations", translations}}, {})) {
    links.push_back(Json::from_cbor(answer));
  }
  return links;
}

}  // namespace kette::cli
