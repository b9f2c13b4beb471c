// BERT from and for transformers, against what transformers computes with the same files
// (tests/fixtures/make_bert_golden.py). That transformers reads our export is for
// tests/models/test_hugging_face_export.cpp.
#include <numeric>

#include "data/tokenizers/wordpiece_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/models/hugging_face_folder.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("Hugging Face: an imported BERT has the logits of transformers, in both segments") {
  const HuggingFaceFolder folder("bert");
  const SavedModel<Bert> saved = imported<Bert>(folder);
  double worst = 0;
  const Json answers = golden("bert_golden.json");
  for (const Json& expected : answers.at("logits")) {
    Batch batch;
    batch.source = expected.at("ids").get<std::vector<std::int32_t>>();
    batch.source_types = expected.at("types").get<std::vector<std::int32_t>>();
    batch.source_segments = batch.target_segments =
        Segments::from_lengths({std::ssize(batch.source)});
    batch.target_in.resize(batch.source.size());
    std::iota(batch.target_in.begin(), batch.target_in.end(), 0);
    Run run;
    const Tensor logits = saved.model->logits(batch, run).value();
    const Tensor last = logits.slice(logits.rows() - 1, logits.rows());
    worst = larger_gap(worst, largest_gap(last.values<float>(), expected.at("last")));
    const auto sums = expected.at("sum").get<std::vector<double>>();
    for (std::int64_t row = 0; row < logits.rows(); ++row) {
      const auto values = logits.slice(row, row + 1).values<float>();
      CHECK(std::accumulate(values.begin(), values.end(), 0.0) ==
            doctest::Approx(sums[static_cast<std::size_t>(row)]).epsilon(1e-4));
    }
  }
  MESSAGE("largest difference of a logit: " << worst);
  CHECK(worst < 1e-4);
}

TEST_CASE("Hugging Face: tokens without a piece are left out of a BERT") {
  check_padding_left_out<Bert>("bert");
}

TEST_CASE("Hugging Face: BERT comes back from an export bit for bit, tokenizer and settings too") {
  const HuggingFaceFolder folder("bert");
  check_round_trip<Bert>(folder, "BERT, 2 layers");
  const ScratchFolder scratch;
  export_hugging_face(folder.out(), scratch / "theirs");
  const Json theirs = Json::parse(read_file(scratch / "theirs" / "tokenizer_config.json"));
  CHECK(theirs.at("model_max_length") == load_model<Bert>(folder.out()).model->config().context);
  CHECK(theirs.at("tokenizer_class") == "BertTokenizer");
}

TEST_CASE("Hugging Face: BERT with old names, other heads and tied copies is read") {
  const HuggingFaceFolder folder("bert");
  const auto expected = imported<Bert>(folder).model->parameters().values().values<float>();
  std::filesystem::remove_all(folder.out());
  using Tensors = HuggingFaceFolder::Tensors;
  folder.change_tensors([](Tensors& tensors) {
    Tensors renamed;
    for (const auto& [key, tensor] : tensors) {
      const std::string name = key;  // clang 14 does not capture what a binding names
      const auto with = [&](const std::string& from, const std::string& to) {
        return name.substr(0, name.size() - from.size()) + to;
      };
      const bool is_norm = contains(name, "LayerNorm.");
      renamed[!is_norm                   ? name
              : name.ends_with("weight") ? with("weight", "gamma")
                                         : with("bias", "beta")] = tensor;
    }
    tensors = std::move(renamed);
    tensors["bert.pooler.dense.weight"] = Tensor::zeros({24, 24});
    tensors["bert.pooler.dense.bias"] = Tensor::zeros({24});
    tensors["cls.seq_relationship.weight"] = Tensor::zeros({2, 24});
    tensors["cls.seq_relationship.bias"] = Tensor::zeros({2});
    tensors["cls.predictions.decoder.weight"] =
        tensors.at("bert.embeddings.word_embeddings.weight").clone();
  });
  CHECK(imported<Bert>(folder).model->parameters().values().values<float>() == expected);
  std::filesystem::remove_all(folder.out());
  folder.change_tensors(
      [](Tensors& tensors) { tensors.at("cls.predictions.decoder.weight").data<float>()[3] += 1; });
  CHECK(contains(folder.import_error(),
                 "\"cls.predictions.decoder.weight\": expected the values that it is tied to"));
}

TEST_CASE("Hugging Face: a setting of BERT that Kette lacks is an error that names it") {
  const HuggingFaceFolder folder("bert");
  const Change changes[] = {
      {"hidden_act", "gelu_fast", "\"hidden_act\", given gelu_fast"},
      {"position_embedding_type", "relative_key", "\"position_embedding_type\""},
      {"tie_word_embeddings", false, "\"tie_word_embeddings\""},
      {"is_decoder", true, "\"is_decoder\""},
      {"add_cross_attention", true, "\"add_cross_attention\""},
      {"num_hidden_layers", 1, "expected no further tensors, given \"bert.encoder.layer.1."},
      {"num_attention_heads", 5, "config.json: heads: expected a divisor"},
      {"layer_norm_eps", 2, "config.json: norm_epsilon"},
      {"vocab_size", 5, "expected at least"},
      {"type_vocab_size", 0, "config.json: type_vocab_size: expected at least 1, given 0"},
      {"type_vocab_size", 3, "parameters, as many as the model of config.json has"}};
  folder.check_refused(changes);
  std::filesystem::remove(folder.path() / "vocab.txt");
  CHECK(contains(folder.import_error(),
                 "expected the vocab.txt or tokenizer.json of BERT's tokenizer"));
}

TEST_CASE("Hugging Face: only a model in BERT's form and with its tokenizer is exported") {
  BertConfig config = small_bert();
  config.vocabulary = 300;
  const auto wordpiece = WordPieceTokenizer::load(kHuggingFace / "bert");
  const std::pair<const char*, void (*)(BertConfig&)> changes[] = {
      {"segments", [](BertConfig& c) { c.segments = 0; }},
      {"positions", [](BertConfig& c) { c.positions = Positions::rotary; }},
      {"norm", [](BertConfig& c) { c.norm = NormOrder::pre; }},
      {"norm_kind", [](BertConfig& c) { c.norm_kind = NormKind::rms; }},
      {"feed_forward", [](BertConfig& c) { c.feed_forward = FeedForwardKind::swiglu; }},
      {"biases", [](BertConfig& c) { c.biases = false; }}};
  for (const auto& [setting, change] : changes) {
    BertConfig other = config;
    change(other);
    const std::string error = export_error(other, *wordpiece);
    CHECK(error.ends_with(std::string("given one with another ") + setting));
  }
  CHECK(contains(export_error(config, *load_tokenizer({}, "byte")), "a wordpiece tokenizer"));
  CHECK(export_error(config, *wordpiece).empty());
}
