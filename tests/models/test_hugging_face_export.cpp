// What `kette export` writes, read by transformers itself: same tokens, same logits, same output.
// Needs a Python with transformers and torch: KETTE_PYTHON, or python3.
#include "decode/generator.h"
#include "models/model_directory.h"
#include "tests/models/hugging_face_folder.h"

using namespace kette;
using namespace kette::testing;

namespace {

using Ids = std::vector<std::int32_t>;

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
  const std::string script = std::string(KETTE_SOURCE_DIR) + "/tests/fixtures/check_export.py",
                    answer = (scratch / "answer.json").string(), log = (scratch / "log").string();
  const int status =
      std::system((python + " " + script + " " + folder.string() + " " +
                   (scratch / "questions.json").string() + " > " + answer + " 2> " + log)
                      .c_str());
  CAPTURE(read_file(log));
  REQUIRE(status == 0);
  return Json::parse(read_file(answer));
}

}  // namespace

TEST_CASE("Hugging Face: transformers reads our GPT-2 and agrees with it") {
  const HuggingFaceFolder folder("gpt2");
  import_hugging_face(folder.path(), folder.out());
  const ScratchFolder scratch;
  export_hugging_face(folder.out(), scratch / "theirs");
  const LanguageModel model = load_language_model(folder.out());
  const Json questions = {{"texts", {"The weather and the water", " Straße 🙂\n\n  1,000's"}},
                          {"ids", {{1, 2, 3, 4, 5, 200}, {359, 7}}},
                          {"prompts", {{9, 10}, {300, 200, 100}}}};
  const auto answer = ask_transformers(scratch / "theirs", questions);
  if (!answer) return;
  double worst = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(model.tokenizer->encode(questions["texts"][i].get<std::string>()) ==
          answer->at("tokens")[i].get<Ids>());
    Run inference;
    const Ids ids = questions["ids"][i];
    const auto rows = static_cast<std::int64_t>(ids.size());
    const Tensor logits = model.gpt
                              ->logits(model.gpt->states(Tensor::from(ids),
                                                         Segments::from_lengths({rows}), inference))
                              .value();
    worst = std::max(
        worst, worst_gap(logits.slice(rows - 1, rows).values<float>(), answer->at("logits")[i]));
    GenerateOptions options;
    options.temperature = 0;
    options.max_tokens = 20;
    CHECK(generate(PackedGpt(*model.gpt), questions["prompts"][i], options).front() ==
          answer->at("greedy")[i].get<Ids>());
  }
  MESSAGE("largest difference of a logit: " << worst);
  CHECK(worst < 1e-4);
}
