#include "decode/translation_request.h"

#include <algorithm>

#include "decode/sampled_texts.h"
#include "decode/search_limits.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;

/// The most tokens of the translation, and at least those of its prefix.
std::int64_t longest_translation(const SourceIds& source, const SearchOptions& search,
                                 const Ensemble& model) {
  return std::max(longest_output(search, model, std::ssize(source.ids)), std::ssize(source.prefix));
}

}  // namespace

DecodingOptions DecodingOptions::for_retry() const {
  DecodingOptions anew = *this;
  anew.shortlist = {};
  anew.minimum_risk.reset();
  return anew;
}

void DecodingOptions::check() const {
  constexpr std::int64_t kMostCompared =
      4096;  // each with each: more take minutes and gigabytes a line
  KETTE_CHECK(!minimum_risk || (search.n_best > 1 && search.n_best <= kMostCompared),
              "minimum Bayes risk: expected from 2 to ", kMostCompared,
              " translations of each line to choose from (n-best), given ", search.n_best);
  if (!sampling) return search.check();
  sampling->check();
  KETTE_CHECK(!shortlist, "shortlist: expected a search, given samples, which are of all tokens");
  KETTE_CHECK(search.n_best >= 1, "samples: expected at least 1, given ", search.n_best);
  KETTE_CHECK(search.min_length == 0, "min length: expected a search beside it, given samples");
}

void check_source(const SourceIds& source, const DecodingOptions& options, const Ensemble& model,
                  const char* what) {
  const std::int64_t limit = model.positions() - 1, length = std::ssize(source.ids),
                     given = std::ssize(source.prefix);
  KETTE_CHECK(length <= limit, "translate: expected at most ", limit,
              " tokens in a sentence, given ", length, " in ", what, " ", source.number + 1,
              " (split it, or allow truncation)");
  KETTE_CHECK(given <= limit, "translate: expected a prefix of at most ", limit,
              " tokens, as many as the model has positions for, given ", given, " in prefix ",
              source.number + 1);
  KETTE_CHECK(source.prefix.empty() || source.constraint == nullptr,
              "translate: expected a prefix or another constraint, given both");
  KETTE_CHECK(!options.sampling || source.constraint == nullptr,
              "constraint: expected a search, given samples");
  KETTE_CHECK(!options.shortlist || source.constraint == nullptr,
              "translate: expected a shortlist or another constraint, given both");
}

Request translation_request(const SourceIds& source, const DecodingOptions& options,
                            const Ensemble& model, std::int64_t number) {
  const SpecialTokens special = model.special();
  const SearchOptions& search = options.search;
  const std::int64_t longest = longest_translation(source, search, model);
  Request request{number, source.ids, {special.begin}};
  request.source.push_back(special.end);
  request.banned = banned_in_translations(special, search.allow_unknown);
  if (!options.sampling) {
    request.policy = std::make_unique<Beam>(search, longest, special.end);
    request.constraint = source.constraint;
    if (!source.prefix.empty()) request.constraint = std::make_shared<Prefix>(source.prefix);
    return request;
  }
  request.policy = std::make_unique<SampledTexts>(
      SampledTexts::Options{.sampling = *options.sampling,
                            .copies = search.n_best,
                            .max_tokens = longest - std::ssize(source.prefix),
                            .end = special.end,
                            .number = source.number,
                            .given = source.prefix,
                            .scores = true});
  return request;
}

std::vector<std::int32_t> shortlist_of(const SourceIds& source, const DecodingOptions& options,
                                       const SpecialTokens& special) {
  if (!options.shortlist) return {};
  Ids list = options.shortlist(source.ids);
  list.insert(list.end(), source.prefix.begin(), source.prefix.end());
  list.push_back(special.end);
  if (options.search.allow_unknown) list.push_back(special.unknown);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace kette
