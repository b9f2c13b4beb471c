// Parameters and FLOPs by arithmetic, against the model itself and against Table 3 of Vaswani et
// al. 2017.
#include <doctest/doctest.h>

#include <cmath>

#include "models/families.h"
#include "models/gpt.h"
#include "models/model.h"
#include "models/model_summary.h"
#include "models/transformer.h"

using namespace kette;

namespace {

double millions(TransformerConfig config, std::int64_t rows) {
  config.vocabulary = rows;
  return static_cast<double>(count_parameters(config)) / 1e6;
}

struct TableRow {
  const char* name;
  std::int64_t layers, width, hidden, heads;
  double millions;  ///< as printed in the paper
};
constexpr TableRow kBase = {"base", 6, 512, 2048, 8, 65};
constexpr TableRow kVariants[] = {{"N=2", 2, 512, 2048, 8, 36},
                                  {"N=4", 4, 512, 2048, 8, 50},
                                  {"N=8", 8, 512, 2048, 8, 80},
                                  {"d_model=256", 6, 256, 2048, 8, 28},
                                  {"d_model=1024", 6, 1024, 2048, 8, 168},
                                  {"d_ff=1024", 6, 512, 1024, 8, 53},
                                  {"d_ff=4096", 6, 512, 4096, 8, 90}};

TransformerConfig config_of(const TableRow& row) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = row.layers;
  config.width = row.width;
  config.hidden = row.hidden;
  config.heads = row.heads;
  return config;
}

}  // namespace

TEST_CASE("model summary: as many parameters as the model registers") {
  const auto check = [](const ModelConfig& config) {
    CAPTURE(headline(config));
    CHECK(count_parameters(config) == config.make_model()->parameters().elements());
  };
  for (const Family* family : families()) {
    for (const std::string& preset : family->presets) check(*family->config(preset));
    for (const auto& [label, config] : family->small_models) check(*config);
  }
  for (const NormKind norm : {NormKind::layer, NormKind::rms, NormKind::none}) {
    GptConfig gpt = small_gpt();
    gpt.norm_kind = norm;
    gpt.biases = false;
    check(gpt);
  }
  TransformerConfig config = TransformerConfig::preset("tiny");
  for (const NormOrder norm : {NormOrder::post, NormOrder::pre}) {
    config.norm = norm;
    config.decoder_layers = 3;
    config.feed_forward = FeedForwardKind::swiglu;
    check(config);
  }
}

TEST_CASE("model summary: of attention alone no FLOPs are those of feed-forward layers") {
  const GptConfig config = small_attention_only_gpt();
  const Segments texts = Segments::from_lengths({5, 2});
  const double maps = 2.0 * (2 * 4 * 16 * 16 + 16 * 23), pairs = 2 * (15 + 3);
  CHECK(forward_flops(config, texts, texts) == 7 * maps + 4 * 16 * pairs);
}

TEST_CASE("model summary: the rows of Table 3 that the vocabulary does not touch differ exactly") {
  // A printed number is within 0.5 of the true one, so a difference of two is within 1.
  for (const TableRow& row : kVariants) {
    if (row.width != kBase.width) continue;
    CAPTURE(row.name);
    const double difference = millions(config_of(row), 37000) - millions(config_of(kBase), 37000);
    CHECK(std::abs(difference - (row.millions - kBase.millions)) <= 1);
  }
}

TEST_CASE(
    "model summary: with the 41,000 rows that Table 3 implies, every row comes out as printed") {
  CHECK(std::abs(millions(config_of(kBase), 41000) - kBase.millions) <= 0.55);
  for (const TableRow& row : kVariants) {
    CAPTURE(row.name);
    CHECK(std::abs(millions(config_of(row), 41000) - row.millions) <= 0.55);
  }
}

TEST_CASE("model summary: totals within 3 % of the paper's with 37,000 rows") {
  CHECK(std::abs(millions(TransformerConfig::preset("base"), 37000) / 65 - 1) < 0.03);
  CHECK(std::abs(millions(TransformerConfig::preset("big"), 37000) / 213 - 1) < 0.03);
}

TEST_CASE(
    "model summary: FLOPs are two for each weight and token, and four widths for each pair of "
    "attention") {
  TransformerConfig c;
  c.encoder_layers = c.decoder_layers = 1;
  c.width = 2;
  c.hidden = 3;
  c.heads = 1;
  c.vocabulary = 5;
  const Segments source = Segments::from_lengths({4, 1}), target = Segments::from_lengths({3, 2});
  const double encoder = 2 * (4 * 4 + 2 * 6), decoder = 2 * (4 * 4 + 2 * 4 + 2 * 6) + 2 * 5 * 2,
               memory = 2 * 2 * 4;
  const double pairs = (16 + 1) + (6 + 3) + (12 + 2);
  CHECK(forward_flops(c, source, target) == 5 * encoder + 5 * decoder + 5 * memory + 4 * 2 * pairs);
  CHECK(training_flops(c, source, target) == 3 * forward_flops(c, source, target));
}
