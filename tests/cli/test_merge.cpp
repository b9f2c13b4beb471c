// A directory of adapters at the command line: read like any model, and merged.
#include <doctest/doctest.h>

#include "tests/cli/call_kette.h"
#include "train/translation_task.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("kette merge: adapters and the merged model translate alike") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  REQUIRE(call_kette(train_arguments(folder.path(), "base")).code == 0);
  TranslationTrainOptions options;
  options.texts = {{folder / "train.en", folder / "train.de"}};
  options.valid_source = folder / "valid.en";
  options.valid_target = folder / "valid.de";
  options.from = folder / "base";
  options.out = folder / "adapters";
  options.lora.rank = 2;
  options.steps = 5;
  options.schedule = {ScheduleKind::constant, 0.05, 1, 16, 0};
  options.validate_score = false;
  options.quiet = true;
  train(options);

  const std::string base = options.from.string(), adapters = options.out.string(),
                    merged = (folder / "merged").string();
  RunOptions lines;
  lines.input = "the cat sees bread .\nmusic water\n";
  const auto translate = [&](const std::string& model) {
    return run_kette({"translate", "--model", model}, lines);
  };
  const auto merge = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"merge", "--model", adapters, "--out", merged};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_kette(arguments);
  };
  const Outcome translated = translate(adapters);
  CHECK(translated.code == 0);
  CHECK(translated.says("adapter.safetensors"));
  CHECK(translated.out != translate(base).out);

  const Outcome lexicon =
      call_kette({"lexicon", "--model", adapters, "--src", (folder / "train.en").string(), "--tgt",
                  (folder / "train.de").string()});
  REQUIRE_MESSAGE(lexicon.code == 0, lexicon.err);

  // The base moves; only merge can be told where it is.
  const std::string moved = (folder / "moved").string();
  std::filesystem::rename(base, moved);
  const Outcome lost = translate(adapters);
  CHECK(lost.code == 1);
  CHECK(lost.says("kette merge --base"));
  CHECK(merge({}).code == 1);
  // Nor does it matter what stands in its old place.
  REQUIRE(call_kette(train_arguments(folder.path(), "base", {"--width", "8"})).code == 0);
  const Outcome done = merge({"--base", moved, "--json"});
  CHECK(done.code == 0);
  CHECK(contains(done.last_line(), "\"out\":\"" + merged + "\""));
  CHECK(translate(merged).out == translated.out);
  CHECK(read_file(merged + "/lexicon.safetensors") == read_file(adapters + "/lexicon.safetensors"));
  const Outcome again = merge({"--base", moved});
  CHECK(again.code == 1);
  CHECK(again.says("expected a folder that is not there yet"));
}
