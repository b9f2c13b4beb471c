// Flips random bits of files that carry a checksum: each command that uses one must refuse it with an
// error, whatever the bit. A flip that is let in may give a wrong result with exit code 0.
#include "tensor/error.h"
#include "tests/torture/compare.h"
#include "tests/torture/torture.h"

namespace kette::torture {
namespace {

namespace fs = std::filesystem;

/// A damaged file, and a command that uses it. Paths of both are below a copy of all that prepare()
/// made; the command leaves what it writes there. remade: the file may be made anew instead of being
/// refused, and then this folder must end as without the damage.
struct Damage {
  std::string what, file;
  Arguments command;
  std::string remade = {};
};

std::string flip_bits(Torture& torture, std::string bytes) {
  const std::int64_t flips = 1 + torture.random().below(3);
  for (std::int64_t i = 0; i < flips; ++i) {
    const auto bit = static_cast<std::size_t>(
        torture.random().below(8 * static_cast<std::int64_t>(bytes.size())));
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
  return bytes;
}

std::vector<Damage> damages(const Torture& torture) {
  const auto at = [&](const std::string& name) { return torture.file("damaged/" + name); };
  const std::string translator = at("translator"), gpt = at("gpt"), adapted = at("adapted");
  const std::string source = torture.file("valid.en"), target = torture.file("valid.de");
  const Arguments resumed = {"--steps", "80", "--resume"};
  const Arguments translation = translation_training(torture, "damaged/translator") + resumed;
  const Arguments language = language_training(torture, "damaged/gpt") + resumed;
  const std::string model = "/model.safetensors", state = "/training.safetensors",
                    checkpoint = "/checkpoints/step-48.safetensors";
  return {
      {"model, translate",
       "translator" + model,
       {"translate", "--model", translator, "--input", source}},
      {"model, score",
       "translator" + model,
       {"score", "--model", translator, "--src", source, "--tgt", target}},
      {"model, evaluate",
       "translator" + model,
       {"evaluate", "--model", translator, "--src", source, "--ref", target}},
      {"model, generate", "gpt" + model, {"generate", "--model", gpt, "--prompt", "the"}},
      {"model, export", "translator" + model, {"export", "--model", translator, "--out", at("x")}},
      {"model, train --from", "gpt" + model,
       language_training(torture, "damaged/tuned") + Arguments{"--from", gpt, "--lora-rank", "1"}},
      {"base, merge",
       "gpt" + model,
       {"merge", "--model", adapted, "--base", gpt, "--out", at("x")}},
      {"adapters, merge",
       "adapted/adapter.safetensors",
       {"merge", "--model", adapted, "--out", at("x")}},
      {"adapters, generate",
       "adapted/adapter.safetensors",
       {"generate", "--model", adapted, "--prompt", "the"}},
      {"checkpoint, translate",
       "translator" + checkpoint,
       {"translate", "--model", translator, "--checkpoint", translator + checkpoint, "--input",
        source}},
      {"checkpoint, average",
       "translator" + checkpoint,
       {"average", "--model", translator, "--last", "2", "--out", at("mean.safetensors")}},
      {"checkpoint, train --average", "translator" + checkpoint,
       translation + Arguments{"--validate-every", "32"}},
      {"state, train --resume (translation)", "translator" + state, translation},
      {"state, train --resume (text)", "gpt" + state, language},
      {"tokens, train --resume (text)", "gpt/train.tokens", language, "gpt"},
      {"tokens, train --resume (translation)", "translator/train.tokens", translation,
       "translator"},
      {"tokens, train", "text.tokens", {"train",       "--text",   at("text.tokens"),
                                        "--tokenizer", gpt,        "--out",
                                        at("x"),       "--layers", "1",
                                        "--width",     "16",       "--hidden",
                                        "32",          "--heads",  "2",
                                        "--context",   "32",       "--batch-tokens",
                                        "1024",        "--epochs", "1",
                                        "--threads",   "1",        "--quiet"}},
      {"tokens, evaluate",
       "text.tokens",
       {"evaluate", "--model", gpt, "--text", at("text.tokens")}}};
}

void copy_prepared(const Torture& torture) {
  const fs::path damaged = torture.folder() / "damaged";
  fs::remove_all(damaged);
  fs::create_directories(damaged);
  for (const char* name : {"translator", "gpt", "adapted", "text.tokens"}) {
    fs::copy(torture.folder() / name, damaged / name, fs::copy_options::recursive);
  }
}

/// It is the damage that is refused: without it the command ends well.
void run_undamaged(const Torture& torture, const Damage& damage) {
  const fs::path twin = torture.folder() / "undamaged";
  copy_prepared(torture);
  run_well(damage.command);
  fs::remove_all(twin);
  if (!damage.remade.empty()) fs::rename(torture.folder() / "damaged" / damage.remade, twin);
}

std::int64_t expect_refusal(Torture& torture, const Damage& damage) {
  copy_prepared(torture);
  const fs::path damaged = torture.folder() / "damaged", file = damaged / damage.file;
  KETTE_CHECK(fs::exists(file), file.string(), ": expected a file to damage, given none");
  testing::write_file(file, flip_bits(torture, testing::read_file(file)));
  const Outcome outcome = testing::run_kette(damage.command);
  if (outcome.code == 0 && !damage.remade.empty()) {
    check_equal(damaged / damage.remade, torture.folder() / "undamaged");
    return 1;
  }
  KETTE_CHECK(outcome.code == 1 && outcome.says("kette: "), file.string(),
              ": expected an error for a damaged file, given ", told(damage.command, outcome));
  return 1;
}

}  // namespace

void torture_by_flips(Torture& torture, std::int64_t flips) {
  if (flips == 0) return;
  const std::vector<Damage> all = damages(torture);
  const auto count = static_cast<std::int64_t>(all.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const Damage& damage = all[i];
    run_undamaged(torture, damage);
    torture.row("flip bits: " + damage.what, share(flips, count, i),
                damage.remade.empty() ? "all refused" : "all refused or made anew",
                [&](std::int64_t) { return expect_refusal(torture, damage); });
  }
}

}  // namespace kette::torture
