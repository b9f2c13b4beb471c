// Where a difference travels: what is put back must bring its word back, all of it where all goes through.
#include <doctest/doctest.h>

#include <cmath>

#include "data/bundled/minimal_pairs.h"
#include "inspect/passes/patching.h"
#include "inspect/report/report.h"
#include "tests/cli/call_kette.h"
#include "tests/data/tiny_text.h"
#include "tests/data/treebank.h"
#include "tests/inspect/browser.h"
#include "tests/inspect/inspected_models.h"
#include "tests/toy_trees.h"

using namespace kette;
using namespace kette::testing;
using kette::testing::contains;

namespace {

PromptPair pair_for(const AutoregressiveModel& model) {
  if (model.has_encoder()) return {{4, 9, 6, 5}, {4, 8, 6, 5}, {7, 10}, 11, 12};
  return {{4, 9, 6, 5}, {4, 8, 6, 5}, {}, 11, 12};
}

/// Each answer is the likelier one after its own prompt.
PromptPair right_pair(const AutoregressiveModel& model, const Ids& clean, const Ids& corrupted) {
  const auto last_row = [&](const Ids& text) {
    Run run;
    const Tensor logits = model.logits(one_sentence(model, text, Ids{7}), run).value();
    return logits.slice(1, 2).values<double>();
  };
  const std::vector<double> of_clean = last_row(clean), of_corrupted = last_row(corrupted);
  for (std::int32_t a = 4; a < std::ssize(of_clean); ++a) {
    for (std::int32_t b = 4; b < std::ssize(of_clean); ++b) {
      if (of_clean[a] > of_clean[b] + 0.1 && of_corrupted[b] > of_corrupted[a] + 0.1) {
        return {clean, corrupted, {7}, a, b};
      }
    }
  }
  FAIL("expected two words that the texts tell apart");
  return {};
}

}  // namespace

TEST_CASE("patching: what all goes through brings everything back, what is the same nothing") {
  const OneThread one;
  for (const auto& model : inspected_models(DType::f64)) {
    CAPTURE(headline(model->config()));
    const PromptPair pair = pair_for(*model);
    const auto levels = std::ssize(model->decoder());
    const std::int64_t last = model->has_encoder() ? 2 : 3;
    std::vector<Patch> patches = {{level_point(*model, Side::target, levels), last},
                                  {level_point(*model, Side::target, 0), 0},
                                  {level_point(*model, Side::target, levels), 0}};
    if (model->has_encoder()) {
      patches.push_back({level_point(*model, Side::source, 0), 1});
      patches.push_back({level_point(*model, Side::source, 0), 2});
      patches.push_back({level_point(*model, Side::source, std::ssize(model->encoder())), -1});
      patches.push_back({level_point(*model, Side::source, 1), -1});
    }
    const PatchedOdds odds = patched_odds(*model, pair, patches);
    CHECK(odds.clean != odds.corrupted);
    CHECK(odds.recovered(0) == doctest::Approx(1).epsilon(1e-9));
    CHECK(std::abs(odds.recovered(1)) < 1e-9);  // the first words are the same
    CHECK(std::abs(odds.recovered(2)) < 1e-9);  // nothing reads another row of the last level
    if (!model->has_encoder()) continue;
    CHECK(odds.recovered(3) == doctest::Approx(1).epsilon(1e-9));  // the word that differs
    CHECK(std::abs(odds.recovered(4)) < 1e-9);
    CHECK(odds.recovered(5) == doctest::Approx(1).epsilon(1e-9));
    CHECK(odds.recovered(6) == doctest::Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("patching: some columns at once are those of one pass that is given them") {
  const OneThread one;
  const auto models = inspected_models(DType::f64);
  const AutoregressiveModel& model = *models[0];
  const PromptPair pair = pair_for(model);
  const AttentionPart part = attentions_of(model).back();
  const std::int64_t width = part.head_width;
  const PatchedOdds odds =
      patched_odds(model, pair, {{part.path + "/heads", -1, 2 * width, width}});
  // By hand, with a tap of its own.
  struct Columns final : Tap {
    std::string point;
    std::vector<double> donor;
    std::int64_t begin = 0, end = 0;
    bool wants(const std::string& name) const override { return name == point; }
    Variable at(const std::string&, const Variable& value) override {
      std::vector<double> values = value.value().values<double>();
      const std::int64_t columns = value.value().width();
      for (std::int64_t i = 0; i < std::ssize(values); ++i) {
        if (i % columns >= begin && i % columns < end) values[i] = donor[i];
      }
      return Tensor::from(values, value.shape());
    }
  } tap;
  Activations activations;
  Run clean(&activations);
  model.logits(one_sentence(model, pair.clean, pair.prefix), clean);
  tap.point = part.path + "/heads";
  tap.donor = activations[tap.point].values<double>();
  tap.begin = 2 * width;
  tap.end = 3 * width;
  Run corrupted(&tap);
  const Tensor logits =
      model.logits(one_sentence(model, pair.corrupted, pair.prefix), corrupted).value();
  const std::vector<double> row = logits.slice(2, 3).values<double>();
  CHECK(odds.patched.front() == doctest::Approx(row[11] - row[12]).epsilon(1e-12));
  // So many copies that it takes several passes.
  const Patch patch{part.path + "/heads", -1, 2 * width, width};
  const auto many = patched_odds(model, pair, std::vector<Patch>(1500, patch)).patched;
  REQUIRE(many.size() == 1500);
  for (const double value : many) CHECK(value == doctest::Approx(many.front()).epsilon(1e-12));
}

TEST_CASE("patching: a study says for each level and role how much comes back") {
  const OneThread one;
  const auto models = inspected_models();
  const AutoregressiveModel& model = *models[0];
  std::vector<PromptPair> pairs;
  for (std::int32_t word = 20; word < 30; ++word) {
    pairs.push_back(right_pair(model, {4, word, 6}, {4, 8, 6}));
  }
  pairs.push_back(pairs.front());
  std::swap(pairs.back().clean_answer, pairs.back().corrupted_answer);  // now neither is right
  const PatchStudy study = study_patches(model, pairs);
  CHECK(study.pairs == 10);
  const PatchStudy of_one = study_patches(model, {pairs.front()});
  CHECK(std::isnan(of_one.heads.front().recovered.half_width));
  CHECK(MeanOfPairs{0.4432, 0, 1}.str() == "0.443");
  CHECK(MeanOfPairs{0.4432, 0.02, 2}.str() == "0.443 +- 0.020");
  CHECK(study.wrong == 1);
  int seen = 0;
  std::vector<std::string> roles;
  for (const PatchStudy::Place& place : study.places) {
    roles.push_back(place.role);
    CHECK(place.recovered.size() == (place.side == Side::source ? 3U : 4U));
    for (std::size_t level = 0; level < place.recovered.size(); ++level) {
      const MeanOfPairs& recovered = place.recovered[level];
      CHECK(recovered.pairs == study.pairs);
      const bool all = (place.side == Side::source && level == 0 && place.role == "differs") ||
                       (place.side == Side::target && level == 3 && place.role == "last");
      const bool nothing = level == 0 && place.role != "differs";
      if (all) CHECK(recovered.mean == doctest::Approx(1).epsilon(1e-3));
      if (nothing) CHECK(std::abs(recovered.mean) < 1e-4);
      seen += all || nothing;
    }
  }
  CHECK(seen == 7);
  CHECK(roles ==
        std::vector<std::string>{"before", "differs", "after", "end mark", "prefix", "last"});
  CHECK(study.heads.size() == 5U * (2 + 3 + 3));
  CHECK(study.example_grid.size() == 3);
  CHECK(study.example_grid.front().size() == 4);
  CHECK_THROWS_WITH(study_patches(model, {{{4}, {4}, {}, 11, 12}}),
                    "patching: expected pairs of which the model has both words right, given 1 of "
                    "which it has none");
}

TEST_CASE("patching: the words of a pair that have one role count as one value") {
  const OneThread one;
  const auto models = inspected_models();
  const AutoregressiveModel& model = *models[0];
  std::vector<PromptPair> pairs;
  for (std::int32_t word = 20; word < 23; ++word) {
    pairs.push_back(right_pair(model, {4, 5, word, 6, 7, 9}, {4, 5, 8, 6, 7, 9}));
  }
  const PatchStudy study = study_patches(model, pairs);
  REQUIRE(study.pairs == 3);
  for (const PatchStudy::Place& place : study.places) {
    CAPTURE(place.role);
    for (const MeanOfPairs& recovered : place.recovered) CHECK(recovered.pairs == 3);
    if (place.side != Side::source || place.role != "after") continue;
    double mean = 0;  // after the last block of the encoder, rows 3 to 5
    for (const PromptPair& pair : pairs) {
      std::vector<Patch> patches;
      for (std::int64_t row = 3; row < 6; ++row) {
        patches.push_back({level_point(model, Side::source, std::ssize(model.encoder())), row});
      }
      const PatchedOdds odds = patched_odds(model, pair, patches);
      for (std::size_t i = 0; i < 3; ++i) mean += odds.recovered(i) / 9;
    }
    CHECK(place.recovered.back().mean == doctest::Approx(mean).epsilon(1e-4));
  }
}

TEST_CASE("minimal pairs: as many words on either side, one contrast, the same every time") {
  for (const Contrast contrast :
       {Contrast::number, Contrast::gender, Contrast::tense, Contrast::negation}) {
    CAPTURE(enum_name(contrast));
    const auto pairs = bundled::minimal_pairs(contrast, 60);
    REQUIRE(pairs.size() == 60);
    for (const bundled::MinimalPair& pair : pairs) {
      const auto one = bundled::words_of(pair.one.english),
                 other = bundled::words_of(pair.other.english);
      REQUIRE(one.size() == other.size());
      int different = 0;
      for (std::size_t i = 0; i < one.size(); ++i) different += one[i] != other[i];
      CHECK(different >= 1);
      CHECK(different <= 3);  // a subject, its verb, what refers to it
      CHECK(pair.one.german != pair.other.german);
      CHECK(pair.one.english.back() == '.');
    }
    CHECK(bundled::minimal_pairs(contrast, 5).back().one.english == pairs[4].one.english);
  }
}

TEST_CASE("patch page: sources with a vocabulary of their own, as a parser's, are spelt by that") {
  const TreeTokenizer::Shared tokenizer = toy_tree_tokenizer(trees_in(toy_trees(60, 3)));
  REQUIRE(tokenizer->source_vocabulary() > tokenizer->vocabulary());
  PatchStudy study;
  study.example.clean = tokenizer->encode("the cat sleeps .");
  study.example.corrupted = study.example.clean;
  study.example.corrupted.back() = static_cast<std::int32_t>(tokenizer->source_vocabulary() - 1);
  study.example.clean_answer = tokenizer->first_label();
  study.example.corrupted_answer = tokenizer->first_tag();
  study.example_grid = {std::vector<double>(study.example.clean.size(), 0.5)};
  const std::string page = as_page(to_report(study, *tokenizer));
  CHECK(contains(page, "the cat sleeps ."));
  CHECK(contains(page, tokenizer->piece(tokenizer->first_label()) + " or "));
}

TEST_CASE("patch: with pairs of a file, as tables, as JSON and as a page") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string pairs = (folder / "pairs.tsv").string(), out = (folder / "page.html").string();
  // The same words in another order are as many tokens. One of the two words is likelier after the one text than after the other, in one order or the other.
  write_file(pairs,
             "the cat sees bread .\tbread sees the cat .\tdie katze\tbrot\n"
             "bread sees the cat .\tthe cat sees bread .\tdie katze\tbrot\n"
             "a man likes music .\ta woman likes music .\n"
             "the cat\tthe cat sees bread .\n");
  const Outcome outcome =
      call_kette({"patch", "--model", small.model(), "--pairs", pairs, "--out", out, "--json"});
  INFO(outcome.err);
  CHECK(outcome.says("left out: "));
  if (outcome.code == 0) {
    const JsonView json = outcome.json();
    CHECK(json["places"].size() > 4);
    const std::string page = read_file(out);
    for (const char* scheme : {"http:", "https:"}) CHECK_FALSE(contains(page, scheme));
    if (browser()) CHECK(open_page(page).console == "");
    CHECK(contains(page, ">after block 0</text>"));
  } else {
    CHECK(outcome.says("of which the model has both words right"));
  }
  write_file(pairs, "the cat\tthe cat sees bread .\na man\ta man\tein mann\tein mann\n");
  CHECK(
      call_kette({"patch", "--model", small.model(), "--pairs", pairs})
          .says("patch: expected pairs of as many tokens on both sides, given 1 of unequal lengths "
                "and 1 that nothing tells apart"));
  write_file(pairs, "only one\n");
  CHECK(call_kette({"patch", "--model", small.model(), "--pairs", pairs})
            .says("pairs.tsv:1: expected two texts, or two texts and what follows each"));
  CHECK(call_kette({"patch", "--model", small.model()}).code == 2);
}
