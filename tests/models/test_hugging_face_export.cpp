// What `kette export` writes, read by transformers itself: same tokens, same logits, same output.
// Needs a Python with transformers and torch: KETTE_PYTHON, or python3.
#include "data/corpora/masking.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "decode/generator.h"
#include "decode/translator.h"
#include "models/model_directory.h"
#include "tests/decode/decode_models.h"
#include "tests/models/hugging_face_folder.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Nothing if there is no transformers; the test skips then.
std::optional<Json> ask_transformers(const std::filesystem::path& folder, const Json& questions) {
  const char* named = std::getenv("KETTE_PYTHON");
  const std::string python = named ? named : "python3";
  if (std::system((python + " -c 'import transformers, torch' > /dev/null 2>&1").c_str()) != 0) {
    MESSAGE("skipped: no transformers in " << python << " (KETTE_PYTHON names another Python)");
    return {};
  }
  const ScratchFolder scratch;
  write_file(scratch / "questions.json", questions.dump());
  const std::string script = source_folder().string() + "/tests/fixtures/check_export.py",
                    answer = (scratch / "answer.json").string(), log = (scratch / "log").string();
  const int status =
      std::system((python + " " + script + " " + folder.string() + " " +
                   (scratch / "questions.json").string() + " > " + answer + " 2> " + log)
                      .c_str());
  CAPTURE(read_file(log));
  REQUIRE(status == 0);
  return Json::parse(read_file(answer));
}

/// Asks both sides the same: tokens of texts, logits after ids, and greedy texts of prompts.
void check_language_model(const HuggingFaceFolder& folder, const Json& questions) {
  import_hugging_face(folder.path(), folder.out());
  const ScratchFolder scratch;
  export_hugging_face(folder.out(), scratch / "theirs");
  const SavedModel<Gpt> saved = load_model<Gpt>(folder.out());
  const auto answer = ask_transformers(scratch / "theirs", questions);
  if (!answer) return;
  double worst = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(saved.tokenizer->encode(questions["texts"][i].get<std::string>()) ==
          answer->at("tokens")[i].get<Ids>());
    Run inference;
    const Ids ids = questions["ids"][i];
    const auto rows = static_cast<std::int64_t>(ids.size());
    const PackedSequences sequences(Segments::from_lengths({rows}));
    const Tensor logits =
        saved.model->logits(saved.model->decode(Tensor::from(ids), sequences, inference)).value();
    worst = larger_gap(
        worst, largest_gap(logits.slice(rows - 1, rows).values<float>(), answer->at("logits")[i]));
    GenerateOptions options;
    options.temperature = 0;
    options.max_tokens = 20;
    CHECK(generate(*saved.model->for_decoding(), questions["prompts"][i], options).front() ==
          answer->at("greedy")[i].get<Ids>());
  }
  MESSAGE("largest difference of a logit: " << worst);
  CHECK(worst < 1e-4);
}

/// Asks both sides the same: tokens of texts, logits after a target, and beams of sources.
void check_marian(const std::filesystem::path& ours, const std::vector<std::int64_t>& beams) {
  const ScratchFolder scratch;
  export_hugging_face(ours, scratch / "theirs");
  const SavedModel<Transformer> saved = load_model<Transformer>(ours);
  const SpecialTokens special = saved.tokenizer->special();
  const std::vector<std::string> texts = {"A man in a blue shirt", "Zwei junge Leute, 日本"};
  std::vector<Ids> sources;
  Json questions = {{"texts", texts}, {"beams", beams}, {"max_length", 20}};
  for (const std::string& text : texts) {
    Ids source = saved.tokenizer->encode(text),
        target = saved.tokenizer->encode(text, Side::target);
    sources.push_back(source);
    source.push_back(special.end);
    target.insert(target.begin(), special.begin);
    questions["ids"].push_back(source);
    questions["prompts"].push_back(source);
    questions["targets"].push_back(target);
  }
  const auto answer = ask_transformers(scratch / "theirs", questions);
  if (!answer) return;
  const auto ready = saved.model->for_decoding();
  double worst = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CHECK(saved.tokenizer->encode(texts[i]) == answer->at("tokens")[i].get<Ids>());
    CHECK(saved.tokenizer->encode(texts[i], Side::target) == answer->at("targets")[i].get<Ids>());
    const Tensor logits = logits_of(*saved.model, questions["ids"][i], questions["targets"][i]);
    const std::int64_t rows = logits.rows();
    worst = larger_gap(
        worst, largest_gap(logits.slice(rows - 1, rows).values<float>(), answer->at("logits")[i]));
  }
  for (std::size_t j = 0; j < beams.size(); ++j) {
    SearchOptions options;
    options.kind = BeamKind::full;
    options.beam = options.n_best = beams[j];
    options.max_length = 18;
    const auto found = translate_ids(*ready, sources, options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::vector<Ids> tokens;
      for (const Hypothesis& hypothesis : found[i]) tokens.push_back(hypothesis.tokens);
      CHECK(tokens == answer->at("found")[i * beams.size() + j].get<std::vector<Ids>>());
    }
  }
  MESSAGE("largest difference of a logit: " << worst);
  CHECK(worst < 1e-4);
}

}  // namespace

TEST_CASE("Hugging Face: transformers reads our GPT-2, Llama and Mistral and agrees with them") {
  const std::vector<std::string> texts = {"The weather and the water",
                                          " Straße 🙂\n\n  1,000's"};
  check_language_model(HuggingFaceFolder("gpt2"), {{"texts", texts},
                                                   {"ids", {{1, 2, 3, 4, 5, 200}, {359, 7}}},
                                                   {"prompts", {{9, 10}, {300, 200, 100}}}});
  const HuggingFaceFolder mistral("llama");
  make_mistral(mistral);
  const Json questions = {{"texts", texts},
                          {"ids", {{1, 2, 3, 4, 5, 200, 7, 8, 9}, {359, 7}}},
                          {"prompts", {{9, 10}, {300, 200, 100, 3, 4, 5, 6}}}};
  check_language_model(HuggingFaceFolder("llama"), questions);
  check_language_model(mistral, questions);
}

TEST_CASE("Hugging Face: transformers reads a Marian model of ours and agrees with it") {
  const HuggingFaceFolder folder("marian");
  import_hugging_face(folder.path(), folder.out());
  check_marian(folder.out(), {1, 4});
}

TEST_CASE("Hugging Face: transformers reads a model that Kette has trained and agrees with it") {
  const std::vector<std::string_view> lines = {"A man in a blue shirt is standing on a ladder",
                                               "Ein Mann im blauen Hemd steht auf einer Leiter",
                                               "Two young people are outside",
                                               "Zwei junge Leute sind im Freien"};
  SentencePieceOptions options;
  options.vocabulary = 80;
  const SharedTokenizer tokenizer = SentencePieceTokenizer::train(lines, options);
  TransformerConfig config = small_config();
  config.vocabulary = tokenizer->vocabulary();
  const auto model = random_model(config);
  const ScratchFolder scratch;
  save_description(scratch / "ours", config, *tokenizer);
  save_parameters(scratch / "ours" / "model.safetensors", model->parameters(), {});
  check_marian(scratch / "ours", {1});
}

TEST_CASE("Hugging Face: transformers reads our BERT and agrees with it") {
  const HuggingFaceFolder folder("bert");
  import_hugging_face(folder.path(), folder.out());
  const ScratchFolder scratch;
  export_hugging_face(folder.out(), scratch / "theirs");
  const SavedModel<Bert> saved = load_model<Bert>(folder.out());
  const Json questions = {{"texts", {"The old harbour, Übermut!", "日本 naïve"}},
                          {"ids", {{3, 7, 8, 9, 4}, {3, 100, 5, 4}}}};
  const auto answer = ask_transformers(scratch / "theirs", questions);
  if (!answer) return;
  double worst = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Ids tokens = saved.tokenizer->encode(questions["texts"][i].get<std::string>());
    CHECK(between_marks(tokens, saved.tokenizer->special()) == answer->at("tokens")[i].get<Ids>());
    Batch batch;
    batch.source = questions["ids"][i].get<Ids>();
    batch.source_segments = Segments::from_lengths({std::ssize(batch.source)});
    batch.target_in = {static_cast<std::int32_t>(batch.source.size()) - 1};
    batch.target_segments = Segments::from_lengths({1});
    Run inference;
    worst =
        larger_gap(worst, largest_gap(saved.model->logits(batch, inference).value().values<float>(),
                                      answer->at("logits")[i]));
  }
  MESSAGE("largest difference of a logit: " << worst);
  CHECK(worst < 1e-4);
}
