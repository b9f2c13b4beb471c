#include "decode/shortlist.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace kette {
namespace {

Tensor masks_of(const std::vector<std::int32_t>& tokens,
                const std::vector<std::vector<bool>>& masks, Device device) {
  std::vector<std::vector<bool>> some;
  for (const std::vector<bool>& mask : masks) {
    std::vector<bool>& line = some.emplace_back();
    for (const std::int32_t token : tokens) line.push_back(mask[token]);
  }
  return TokenMasks::pack(some, device);
}

std::vector<std::int32_t> rising(std::vector<std::int32_t> tokens, std::int64_t vocabulary) {
  const bool rise =
      std::adjacent_find(tokens.begin(), tokens.end(), std::greater_equal<>()) == tokens.end();
  KETTE_CHECK(rise && !tokens.empty() && tokens.front() >= 0 && tokens.back() < vocabulary,
              "shortlist: expected tokens that rise from 0 to below ", vocabulary,
              ", given others");
  return tokens;
}

}  // namespace

Shortlist::Shortlist(const Ensemble& model, std::vector<std::int32_t> tokens,
                     const std::vector<std::vector<bool>>& masks)
    : tokens_(rising(std::move(tokens), model.vocabulary())),
      projection_(model.output_of(tokens_)),
      masks_(masks_of(tokens_, masks, model.device())) {}

std::int32_t Shortlist::place_of(std::int32_t token) const {
  const auto at = std::lower_bound(tokens_.begin(), tokens_.end(), token);
  KETTE_CHECK(at != tokens_.end() && *at == token,
              "shortlist: expected every token that a search asks for, given none for ", token);
  return static_cast<std::int32_t>(at - tokens_.begin());
}

void Shortlist::name(std::vector<std::int32_t>& places) const {
  for (std::int32_t& place : places) {
    if (place >= 0) place = tokens_[place];
  }
}

}  // namespace kette
