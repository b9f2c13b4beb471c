// A beam by itself, offered continuations by hand: who goes on, who has finished.
#include <doctest/doctest.h>

#include "decode/beam.h"

using namespace kette;

namespace {

using Ids = std::vector<std::int32_t>;

struct Offer {
  std::vector<float> values;
  Ids tokens;
  float end_value;
};

/// A beam of two that may get ten tokens long; 0 is the end mark.
Beam beam_of_two(BeamKind kind, std::int64_t n_best = 2, const char* length_penalty = "none") {
  SearchOptions options;
  options.beam = 2;
  options.n_best = n_best;
  options.kind = kind;
  options.length_penalty = parse_length_penalty(length_penalty);
  return Beam(options, 10, 0);
}

/// What goes on after one step.
std::vector<Ids> advance(Beam& beam, const std::vector<Offer>& offers) {
  std::vector<Continuations> offered;
  for (const Offer& offer : offers)
    offered.push_back({offer.values, offer.tokens, offer.end_value});
  CHECK(beam.consider(offered).empty());
  beam.advance();
  std::vector<Ids> live;
  for (const Hypothesis& hypothesis : beam.live()) live.push_back(hypothesis.tokens);
  return live;
}

}  // namespace

TEST_CASE("in a narrowing beam a hypothesis that has finished gives its place up") {
  Beam beam = beam_of_two(BeamKind::narrowing);
  CHECK(advance(beam, {{{-1, -3}, {5, 6}, -0.5f}}) == std::vector<Ids>{{5}});
  CHECK(advance(beam, {{{-1, -1.1f}, {5, 6}, -9}}) == std::vector<Ids>{{5, 5}});
}

TEST_CASE("a full beam stays as wide, and only those that rank within it finish") {
  Beam beam = beam_of_two(BeamKind::full);
  const auto offer = [](float end_value) {
    return Offer{{-1, -2, -4, -5}, {5, 6, 7, 8}, end_value};
  };
  CHECK(advance(beam, {offer(-3)}) == std::vector<Ids>{{5}, {6}});
  CHECK(beam.n_best().empty());
  // By rank: the end of the first, {5, 5}, the end of the second, {5, 6}.
  CHECK(advance(beam, {offer(-0.5f), offer(-0.2f)}) == std::vector<Ids>{{5, 5}, {5, 6}});
  REQUIRE(beam.n_best().size() == 1);
  CHECK(beam.n_best().front().tokens == Ids{5});
}

TEST_CASE("a beam stops only when nothing alive can still win, however long it may get") {
  // By its length of 11 at most, end mark and all, what goes on at -1 is at best worth -1 / 11.
  Beam goes_on = beam_of_two(BeamKind::narrowing, 1, "len:1");
  CHECK(advance(goes_on, {{{-1, -3}, {5, 6}, -0.5f}}) == std::vector<Ids>{{5}});
  Beam stops = beam_of_two(BeamKind::narrowing, 1, "len:1");
  CHECK(advance(stops, {{{-1, -3}, {5, 6}, -0.05f}}).empty());
}

TEST_CASE("of equals in a beam the better parent goes first, then the lower token") {
  Beam beam = beam_of_two(BeamKind::narrowing);
  CHECK(advance(beam, {{{-1, -1, -5}, {9, 4, 5}, -9}}) == std::vector<Ids>{{4}, {9}});
  const Offer of_best{{-1, -7}, {8, 6}, -9}, of_other{{-1, -7}, {5, 6}, -9};
  CHECK(advance(beam, {of_best, of_other}) == std::vector<Ids>{{4, 8}, {9, 5}});
}
