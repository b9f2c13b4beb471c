// Marian's translation models from and for transformers, against what transformers makes of the same
// files (tests/fixtures/make_hugging_face.py): tokens, logits, greedy output and beams.
#include <numeric>

#include "data/files/safetensors.h"
#include "decode/translator.h"
#include "models/adapter_directory.h"
#include "models/exchange/sinusoid_layout.h"
#include "models/model_directory.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/models/hugging_face_folder.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("Hugging Face: an imported Marian model has the tokens of MarianTokenizer") {
  const HuggingFaceFolder folder("marian");
  const SavedModel<Transformer> saved = imported<Transformer>(folder);
  CHECK(saved.tokenizer->kind() == "marian");
  CHECK(saved.tokenizer->special() == saved.model->config().special);
  const Json answers = golden("marian_golden.json");
  for (const Json& expected : answers.at("tokens")) {
    const std::string text = expected.at("text");
    CAPTURE(text);
    CHECK(saved.tokenizer->encode(text) == expected.at("source").get<Ids>());
    const Ids target = saved.tokenizer->encode(text, Side::target);
    CHECK(target == expected.at("target").get<Ids>());
    CHECK(saved.tokenizer->decode(target) == expected.at("decoded").get<std::string>());
    CHECK(saved.tokenizer->encode_all(std::vector<std::string_view>{text}, Side::target).front() ==
          target);
  }
}

// The ids and texts of MarianTokenizer.decode() of transformers 5.24.0: 17 and 24 are the pieces U+2581 "the" and "ha", which
// source.spm alone knows, 3 the space, 91 and 92 are of target.spm alone.
TEST_CASE("Hugging Face: a piece that only source.spm knows is written as transformers does") {
  const auto tokenizer = load_tokenizer(kHuggingFace / "marian");
  CHECK(tokenizer->decode(Ids{17}) == "the");
  CHECK(tokenizer->decode(Ids{17, 24, 91}) == "the ha H");
  CHECK(tokenizer->decode(Ids{91, 24, 92, 3}) == "H ha ein");
  CHECK(tokenizer->decode(Ids{3, 91, 3}) == "H");
}

TEST_CASE("Hugging Face: tokens without a piece are left out of a Marian model") {
  check_padding_left_out<Transformer>("marian");
}

TEST_CASE("Hugging Face: an imported Marian model has the logits of transformers") {
  const HuggingFaceFolder folder("marian");
  const SavedModel<Transformer> saved = imported<Transformer>(folder);
  double worst = 0;
  const Json answers = golden("marian_golden.json");
  for (const Json& expected : answers.at("logits")) {
    const Tensor logits = logits_of(*saved.model, expected.at("source"), expected.at("target"));
    const Tensor last = logits.slice(logits.rows() - 1, logits.rows());
    worst = larger_gap(worst, largest_gap(last.values<float>(), expected.at("last")));
    const auto sums = expected.at("sum").get<std::vector<double>>();
    const auto all = logits.values<float>();
    for (std::size_t row = 0; row < sums.size(); ++row) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(row) * logits.width();
      CHECK(std::accumulate(first, first + logits.width(), 0.0) ==
            doctest::Approx(sums[row]).epsilon(1e-4));
    }
  }
  MESSAGE("largest difference of a logit: " << worst);
  CHECK(worst < 1e-4);
}

TEST_CASE("Hugging Face: the full beam finds what generate() of transformers finds") {
  const HuggingFaceFolder folder("marian");
  const SavedModel<Transformer> saved = imported<Transformer>(folder);
  const auto ready = saved.model->for_decoding();
  const Json answers = golden("marian_golden.json");
  std::vector<Ids> sources;
  for (const Json& sentence : answers.at("search")) sources.push_back(sentence.at("source"));
  const std::size_t searches = answers.at("search")[0].at("found").size();
  double worst = 0;
  std::size_t differing = 0;
  for (std::size_t search = 0; search < searches; ++search) {
    const Json& first = answers.at("search")[0].at("found")[search];
    SearchOptions options;
    options.kind = BeamKind::full;
    options.beam = options.n_best = first.at("beam");
    options.length_penalty = {LengthPenalty::Kind::len, first.at("penalty").get<double>()};
    options.max_length = first.at("max_tokens");
    options.extra_length = 1000;
    const auto found = translate_ids(*ready, sources, options);
    // One by one: the same, to the last bit.
    const auto again = translate_ids(*ready, sources, options, {.batch_tokens = 1});
    options.kind = BeamKind::narrowing;
    const auto narrow = translate_ids(*ready, sources, options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Json& expected = answers.at("search")[i].at("found")[search];
      CAPTURE(i);
      CAPTURE(search);
      REQUIRE(found[i].size() == expected.at("tokens").size());
      for (std::size_t rank = 0; rank < found[i].size(); ++rank) {
        CHECK(found[i][rank].tokens == expected.at("tokens")[rank].get<Ids>());
        CHECK(found[i][rank].tokens == again[i][rank].tokens);
        CHECK(found[i][rank].log_probability == again[i][rank].log_probability);
        if (options.beam == 1) continue;
        worst = larger_gap(
            worst, std::abs(found[i][rank].score - expected.at("scores")[rank].get<double>()));
        differing += rank >= narrow[i].size() || found[i][rank].tokens != narrow[i][rank].tokens;
      }
    }
  }
  MESSAGE("largest difference of a score: " << worst << "; the narrowing beam differs in "
                                            << differing << " hypotheses");
  CHECK(worst < 1e-4);
  CHECK(differing > 0);
}

TEST_CASE(
    "Hugging Face: Marian comes back from an export bit for bit, tokenizer and settings too") {
  check_round_trip<Transformer>(HuggingFaceFolder("marian"), "Marian");
}

TEST_CASE("Hugging Face: adapters of an imported Marian model merge into one with its tokenizer") {
  const HuggingFaceFolder folder("marian");
  const SavedModel<Transformer> base = imported<Transformer>(folder);
  LoraOptions options;
  options.rank = 2;
  LoraAdapters adapters(*base.model, options);
  adapters.allocate(Gradients::none);
  const Tensor values = adapters.parameters().values();
  values.copy_from(Tensor::full(values.shape(), 0.02, values.dtype()));
  const ScratchFolder scratch;
  save_description(scratch / "adapters", base.model->config(), *base.tokenizer);
  save_description(scratch / "adapters",
                   AdapterDescription{options, folder.out(), base.metadata.at(kChecksumKey)});
  save_parameters(scratch / "adapters" / kAdapterFile, adapters.parameters(), {});
  const auto before = base.model->parameters().values().values<float>();
  adapters.merge();
  CHECK(base.model->parameters().values().values<float>() != before);

  merge_adapters(scratch / "adapters", scratch / "merged");
  const SavedModel<Transformer> merged = load_model<Transformer>(scratch / "merged");
  CHECK(merged.tokenizer->files() == base.tokenizer->files());
  CHECK(merged.model->parameters().values().values<float>() ==
        base.model->parameters().values().values<float>());
}

TEST_CASE("sinusoids: the same model with sines before cosines gives the same logits") {
  for (const std::int64_t width : {40, 45}) {
    TransformerConfig config = small_config();
    config.width = width;
    config.output_bias = true;
    const auto model = random_model(config), other = with_concatenated_sinusoids(*model);
    const Ids source = {5, 9, 600, 8, 3}, target = {2, 77, 78, 5};
    const Tensor expected = logits_of(*model, source, target);
    CHECK(kette::largest_gap(logits_of(*other, source, target), expected) < 2e-5);
    CHECK(other->config().sinusoids == SinusoidLayout::concatenated);
    CHECK(other->token_embedding().table.value().values<float>() !=
          model->token_embedding().table.value().values<float>());
    CHECK(with_concatenated_sinusoids(*other)->parameters().values().values<float>() ==
          other->parameters().values().values<float>());
  }
  CHECK_THROWS_WITH_AS(with_concatenated_sinusoids(*random_model(small_config(NormOrder::pre))),
                       doctest::Contains("expected a post-norm model"), Error);
}

TEST_CASE("Hugging Face: a setting of Marian that Kette lacks is an error that names it") {
  const HuggingFaceFolder folder("marian");
  const Change changes[] = {
      {"activation_function", "gelu_fast", "\"activation_function\", given gelu_fast"},
      {"activation_function", nullptr, "expected the key \"activation_function\""},
      {"normalize_before", true, "\"normalize_before\""},
      {"normalize_embedding", true, "\"normalize_embedding\""},
      {"add_final_layer_norm", true, "\"add_final_layer_norm\""},
      {"static_position_embeddings", false, "\"static_position_embeddings\""},
      {"scale_embedding", false, "\"scale_embedding\""},
      {"scale_embedding", nullptr, "\"scale_embedding\""},
      {"share_encoder_decoder_embeddings", false, "\"share_encoder_decoder_embeddings\""},
      {"tie_word_embeddings", false, "\"tie_word_embeddings\""},
      {"decoder_ffn_dim", 44, "expected 40 for \"decoder_ffn_dim\""},
      {"decoder_attention_heads", 2, "\"decoder_attention_heads\""},
      {"decoder_vocab_size", 7, "\"decoder_vocab_size\""},
      {"vocab_size", 100, "\"decoder_vocab_size\""},
      {"pad_token_id", 1, "for \"pad_token_id\", given 1"},
      {"eos_token_id", 2, "expected 0, as vocab.json beside it says, for \"eos_token_id\""},
      {"decoder_start_token_id", 0, "source.spm: expected the special ids pad 0"},
      {"encoder_layers", 3, "expected a tensor \"model.encoder.layers.2.fc1.weight\""},
      {"decoder_layers", 1, "expected no further tensors, given \"model.decoder.layers.1."},
      {"decoder_layers", 0, "config.json: decoder_layers: expected at least 1"},
      {"encoder_attention_heads", 5, "config.json: heads: expected a divisor"},
      {"d_model", 27, "expected"},
      {"max_position_embeddings", "many", "expected a whole number"}};
  folder.check_refused(changes);
}

TEST_CASE("Hugging Face: damaged parameters and tokenizers of Marian are errors") {
  using Tensors = HuggingFaceFolder::Tensors;
  const std::string bias = "final_logits_bias";
  const auto error_of = [](const std::function<void(Tensors&)>& change) {
    const HuggingFaceFolder folder("marian");
    folder.change_tensors(change);
    return folder.import_error();
  };
  const auto table_of = [](Tensors& t) {
    return t.count("model.shared.weight") ? t["model.shared.weight"]
                                          : t["model.decoder.embed_tokens.weight"];
  };
  CHECK(contains(error_of([&](Tensors& t) { t[bias] = Tensor::zeros({200}); }),
                 "\"final_logits_bias\": expected shape [1, "));
  CHECK(error_of([&](Tensors& t) { t.erase(bias); }).empty());  // transformers takes zeros, too
  CHECK(error_of([&](Tensors& t) { t["lm_head.weight"] = table_of(t); }).empty());
  CHECK(contains(
      error_of([&](Tensors& t) { t["lm_head.weight"] = Tensor::zeros(table_of(t).shape()); }),
      "the embeddings are not shared"));
  const Tensor sinusoids = sinusoidal_positions(40, 24, SinusoidLayout::concatenated);
  const std::string positions = "model.encoder.embed_positions.weight";
  CHECK(error_of([&](Tensors& t) { t[positions] = sinusoids.to(DType::bf16); }).empty());
  CHECK(contains(error_of([&](Tensors& t) { t[positions] = sinusoidal_positions(40, 24); }),
                 "expected sinusoids"));

  const HuggingFaceFolder folder("marian");
  folder.change_json("vocab.json", [](Json& vocabulary) { vocabulary["</s>"] = 1; });
  CHECK(contains(folder.import_error(), "vocab.json: expected every id once"));
  write_file(folder.path() / "vocab.json", R"({"a": 0, "<unk>": 1, "</s>": 2})");
  CHECK(contains(folder.import_error(), "vocab.json: expected the piece <pad>"));
  write_file(folder.path() / "source.spm", "junk");
  CHECK(contains(folder.import_error(), "source.spm: expected a SentencePiece model"));
  std::filesystem::remove(folder.path() / "source.spm");
  CHECK(!folder.import_error().empty());
}

TEST_CASE("Hugging Face: a translation model with settings that others lack is not exported") {
  const SavedModel<Transformer> saved = imported<Transformer>(HuggingFaceFolder("marian"));
  TransformerConfig learned = saved.model->config(), narrow = learned, gated = learned,
                    of_words = learned;
  learned.positions = Positions::learned;
  CHECK(contains(export_error(learned, *saved.tokenizer), "export: expected sinusoidal positions"));
  narrow.key_width = narrow.width / narrow.heads / 2;
  CHECK(contains(export_error(narrow, *saved.tokenizer), "expected keys as wide as values"));
  gated.feed_forward = FeedForwardKind::swiglu;
  CHECK(contains(export_error(gated, *saved.tokenizer),
                 "expected an activation that MarianMTModel has, given swiglu"));
  const SharedTokenizer wordpiece = load_tokenizer(kHuggingFace / "bert");
  of_words.vocabulary = wordpiece->vocabulary();
  of_words.special = wordpiece->special();
  CHECK(contains(export_error(of_words, *wordpiece),
                 "export: expected a sentencepiece or marian tokenizer, which are all that "
                 "MarianTokenizer reads, given one of the kind wordpiece"));
}

TEST_CASE("model directories: a configuration without the keys of Marian's form is a plain one") {
  Json json = Json::parse(to_json(small_config()));
  for (const char* key :
       {"sinusoids", "output_bias", "pad", "unknown", "begin", "end", "positions", "key_width"}) {
    CHECK(json.erase(key) == 1);
  }
  const auto config =
      dynamic_cast<const TransformerConfig&>(*model_config_from_json(json.dump(), "config"));
  CHECK(to_json(config) == to_json(small_config()));
  json["sinusoids"] = "shuffled";
  CHECK_THROWS_WITH_AS(model_config_from_json(json.dump(), "config"),
                       doctest::Contains("expected one of interleaved, concatenated"), Error);
  json["sinusoids"] = "interleaved";
  json["end"] = 611;
  CHECK_THROWS_WITH_AS(model_config_from_json(json.dump(), "config"),
                       doctest::Contains("end: expected an id below the vocabulary"), Error);
}
