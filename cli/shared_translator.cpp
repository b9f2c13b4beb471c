#include "cli/shared_translator.h"

#include <algorithm>
#include <numeric>

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

std::vector<Interval> equal_stretches(const std::vector<std::int64_t>& costs, int processes) {
  const auto all = std::accumulate(costs.begin(), costs.end(), std::int64_t{0});
  std::vector<Interval> stretches;
  std::int64_t at = 0, cost = 0;
  for (int process = 0; process < processes; ++process) {
    const std::int64_t begin = at, until = all * (process + 1) / processes;
    // What lies across a border goes to the side that has more of it.
    while (at < std::ssize(costs) && 2 * cost + costs[at] <= 2 * until) cost += costs[at++];
    if (process + 1 == processes) at = std::ssize(costs);
    stretches.push_back({begin, at});
  }
  return stretches;
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
    answers(request, {});
  }
}

std::vector<std::string> SharedTranslator::answers(const std::string& request,
                                                   const SentenceProgress& progress) const {
  const Json json = Json::from_cbor(request);
  const std::vector<std::string> lines = json["lines"], prefixes = json["prefixes"];
  std::vector<std::int64_t> costs;
  // A line costs about its length, and something for itself.
  for (const std::string& line : lines) costs.push_back(std::ssize(line) + 10);
  const Interval mine = equal_stretches(costs, communicator_.processes())[communicator_.process()];
  const auto part = [&](const std::vector<std::string>& all) {
    return all.empty() ? all
                       : std::vector<std::string>(all.begin() + mine.begin, all.begin() + mine.end);
  };
  TranslateOptions options = options_;
  options.first_number = json["first_number"].get<std::int64_t>() + mine.begin;
  options.truncate = json["truncate"];
  Json found = Json::array();
  {
    const Communicator::Phase phase(communicator_, "translating");
    translator_.translate(
        part(lines), options,
        [&](std::int64_t, const Translation& translation) {
          found.push_back(to_json(translation));
        },
        progress, part(prefixes));
  }
  return communicator_.all(packed(found));
}

void SharedTranslator::translate(const std::vector<std::string>& lines,
                                 const TranslateOptions& options, const TakeTranslation& take,
                                 const SentenceProgress& progress,
                                 const std::vector<std::string>& prefixes) const {
  const bool is_little = std::ssize(lines) < 2 * communicator_.processes();
  if (is_little || options.constraint != nullptr || options.tap != nullptr) {
    return translator_.translate(lines, options, take, progress, prefixes);
  }
  const std::string request = packed({{"lines", lines},
                                      {"prefixes", prefixes},
                                      {"first_number", options.first_number},
                                      {"truncate", options.truncate}});
  communicator_.all(request);
  std::int64_t line = 0;
  for (const std::string& answer : answers(request, progress)) {
    for (const Json& translation : Json::from_cbor(answer))
      take(line++, translation_of(translation));
  }
}

}  // namespace kette::cli
