// What goes wrong for people: each gets a message that names the file, the line or the option, a
// non-zero exit, and nothing that was saved before is lost.
#include <doctest/doctest.h>

#include <cmath>

#include "models/model_directory.h"
#include "tests/cli/refusals.h"

using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

/// The run fails in an orderly way and says so.
void check_failed(const Outcome& outcome, const std::vector<std::string>& said, int code = 1) {
  check_refused(outcome, "kette: ", code);
  for (const std::string& text : said) check_refused(outcome, text, code);
}

Outcome train(const ScratchFolder& folder, const std::vector<std::string>& more = {}) {
  return run_kette(train_arguments(folder.path(), "model", more));
}

/// A copy of the small model to do harm to.
struct ModelCopy {
  ScratchFolder folder;
  std::string model = (folder / "model").string(), parameters = model + "/model.safetensors";

  ModelCopy() { fs::copy(SmallModel::get().model(), model, fs::copy_options::recursive); }
  Outcome translate(const RunOptions& options) const {
    return run_kette({"translate", "--model", model, "--threads", "1"}, options);
  }
  Outcome translate() const {
    RunOptions options;
    options.input = "the cat sees bread .\n";
    return translate(options);
  }
};

}  // namespace

TEST_CASE("bad input: files of different length") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const std::string target = read_file(folder / "train.de");
  write_file(folder / "train.de", target.substr(target.find('\n') + 1));
  check_failed(train(folder), {"train.en", "train.de", "60", "59"});

  const SmallModel& small = SmallModel::get();
  write_file(folder / "short", "one line\n");
  const std::string one = (folder / "short").string();
  check_failed(run_kette({"evaluate", "--model", small.model(), "--src", small.file("valid.en"),
                          "--ref", one}),
               {one + ": expected 2 lines", "given 1"});
  check_failed(
      run_kette({"score", "--model", small.model(), "--src", small.file("valid.en"), "--tgt", one}),
      {one + ": expected 2 lines"});
  RunOptions options;
  options.input = "a\nb\n";
  check_failed(run_kette({"bleu", "--ref", one}, options), {one + ": expected 2 lines"});
}

TEST_CASE("bad input: empty files") {
  const ScratchFolder folder;
  for (const char* name : {"train.en", "train.de", "valid.en", "valid.de"}) {
    write_small_corpus(folder.path());
    write_file(folder / name, "");
    check_failed(train(folder), {(folder / name).string()});
    fs::remove_all(folder / "model");
  }
  check_failed(run_kette({"bleu", "--ref", SmallModel::get().file("valid.de")}),
               {"stdin: expected translations"});
}

TEST_CASE(
    "bad input: empty lines are left out of training with a report, and stay empty in "
    "translation") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "train.en", "\n" + read_file(folder / "train.en"));
  write_file(folder / "train.de", "etwas\n" + read_file(folder / "train.de"));
  std::vector<std::string> arguments = train_arguments(folder.path(), "model");
  std::erase(arguments, "--quiet");
  const Outcome trained = run_kette(arguments);
  CAPTURE(trained.err);
  CHECK(trained.code == 0);
  CHECK(trained.says("empty"));
  write_file(folder / "train.en", std::string(61, '\n'));
  fs::remove_all(folder / "model");
  check_failed(train(folder), {"train.en"});
}

TEST_CASE("bad input: a line of a million characters") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const std::string line = std::string(1000000, 'a') + "\n";
  write_file(folder / "train.en", read_file(folder / "train.en") + line);
  write_file(folder / "train.de", read_file(folder / "train.de") + "kurz\n");
  std::vector<std::string> arguments = train_arguments(folder.path(), "model");
  std::erase(arguments, "--quiet");
  const Outcome trained = run_kette(arguments);
  CAPTURE(trained.err);
  CHECK(trained.code == 0);
  CHECK(trained.says("long"));
  RunOptions options;
  options.input = "the cat sees bread .\n" + line;
  check_failed(ModelCopy().translate(options),
               {"stdin:2: expected at most 262144 bytes in a line"});
  options.input = "the cat sees bread .\n" + line.substr(800000);
  const ModelCopy copy;
  check_failed(run_kette({"translate", "--model", copy.model, "--split", "lines"}, options),
               {"stdin:2: expected at most 63 tokens"});
}

TEST_CASE("bad input: invalid UTF-8") {
  const ScratchFolder folder;
  for (const char* name : {"train.en", "valid.de"}) {
    write_small_corpus(folder.path());
    const std::string text = read_file(folder / name);
    const std::size_t third = text.find('\n', text.find('\n') + 1) + 1;
    write_file(folder / name,
               "good\nb\xFC"
               "ad\n" +
                   text.substr(third));
    check_failed(train(folder), {(folder / name).string() + ":2:2: expected UTF-8"});
    fs::remove_all(folder / "model");
  }
  RunOptions options;
  options.input =
      "good\nb\xFC"
      "ad\n";
  check_failed(ModelCopy().translate(options), {"stdin:2:2: expected UTF-8"});
  check_failed(run_kette({"bleu", "--ref", SmallModel::get().file("valid.de")}, options),
               {"stdin:2:2: expected UTF-8"});
}

TEST_CASE("bad input: a model with a parameter that is not finite is refused by everything") {
  const ModelCopy copy;
  const SmallModel& small = SmallModel::get();
  const auto saved = kette::load_model<kette::Transformer>(copy.model);
  saved.model->parameters().values().data<float>()[0] = std::nanf("");
  kette::save_parameters(copy.parameters, saved.model->parameters(), {});
  const std::string said = copy.parameters + ": expected finite parameters, given nan in ";
  check_failed(copy.translate(), {said});
  check_failed(run_kette({"score", "--model", copy.model, "--src", small.file("valid.en"), "--tgt",
                          small.file("valid.de")}),
               {said});
  check_failed(run_kette({"evaluate", "--model", copy.model, "--src", small.file("valid.en"),
                          "--ref", small.file("valid.de")}),
               {said});
  check_failed(run_kette({"export", "--model", copy.model, "--out", copy.model + "-exported"}),
               {said});
  check_failed(run_kette({"average", copy.parameters, "--out", copy.model + "/mean"}),
               {copy.parameters + ": expected finite values, given nan in "});
}

TEST_CASE("bad input: missing files are named") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  fs::remove(folder / "train.de");
  check_failed(train(folder), {(folder / "train.de").string(), "there is none"});
  CHECK(!fs::exists(folder / "model"));
  check_failed(run_kette({"translate", "--model", (folder / "model").string()}),
               {(folder / "model").string()});
  check_failed(run_kette({"bleu", "--ref", (folder / "none").string()}),
               {(folder / "none").string()});
  check_failed(
      run_kette({"average", (folder / "none").string(), "--out", (folder / "mean").string()}),
      {(folder / "none").string()});
}

TEST_CASE("bad input: a missing, truncated or corrupted checkpoint") {
  for (const char* name : {"model.safetensors", "config.json", "tokenizer.model"}) {
    const ModelCopy copy;
    fs::remove(fs::path(copy.model) / name);
    check_failed(copy.translate(), {name});
  }
  const ModelCopy copy;
  const std::string good = read_file(copy.parameters);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{7}, std::size_t{100}, good.size() / 2, good.size() - 1}) {
    write_file(copy.parameters, good.substr(0, length));
    check_failed(copy.translate(), {copy.parameters});
  }
  // tests/data/test_safetensors.cpp flips every byte; here some of the header and of the data,
  // through the program.
  for (const std::size_t at : {std::size_t{0}, std::size_t{6}, std::size_t{9}, std::size_t{60},
                               std::size_t{300}, good.size() - 5}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    write_file(copy.parameters, bad);
    check_failed(copy.translate(), {copy.parameters});
  }
  write_file(copy.parameters, good);
  CHECK(copy.translate().code == 0);
  for (const char* name : {"config.json", "tokenizer.model"}) {
    const ModelCopy other;
    const fs::path file = fs::path(other.model) / name;
    write_file(file, read_file(file).substr(0, 40));
    check_failed(other.translate(), {name});
  }
}

TEST_CASE(
    "bad input: a truncated or corrupted training state refuses to resume and spoils nothing") {
  const ModelCopy copy;
  const fs::path state = fs::path(copy.model) / "training.safetensors";
  const std::string good = read_file(state), parameters = read_file(copy.parameters);
  std::vector<std::string> arguments =
      train_arguments(SmallModel::get().folder(), "model", {"--steps", "12", "--resume"});
  *(std::find(arguments.begin(), arguments.end(), "--out") + 1) = copy.model;
  write_file(state, good.substr(0, good.size() - 9));
  check_failed(run_kette(arguments), {"training.safetensors"});
  std::string bad = good;
  bad[good.size() / 2] ^= 1;
  write_file(state, bad);
  check_failed(run_kette(arguments), {"training.safetensors"});
  CHECK(read_file(copy.parameters) == parameters);
  write_file(state, good);
  const Outcome resumed = run_kette(arguments);
  CAPTURE(resumed.err);
  CHECK(resumed.code == 0);
}

TEST_CASE("bad input: a checkpoint of another preset") {
  const ModelCopy copy;
  const SmallModel& small = SmallModel::get();
  REQUIRE(
      run_kette(train_arguments(small.folder(), "wide", {"--width", "32", "--steps", "1"})).code ==
      0);
  const std::string wide = small.file("wide/model.safetensors");
  check_failed(run_kette({"translate", "--model", copy.model, "--checkpoint", wide}),
               {wide, "[80, 16]", "[80, 32]"});
  check_failed(run_kette({"average", copy.parameters, wide, "--out", small.file("mixed")}), {wide});
  CHECK(!fs::exists(small.file("mixed")));
  fs::copy_file(wide, copy.parameters, fs::copy_options::overwrite_existing);
  check_failed(copy.translate(), {copy.parameters});
}

TEST_CASE("bad input: a full disk") {
  const ModelCopy copy;
  if (fs::exists("/dev/full")) {
    RunOptions options;
    options.input = "the cat sees bread .\n";
    options.output_file = "/dev/full";
    check_failed(copy.translate(options), {"standard output", "No space left"});
    check_failed(run_kette({"info", "--preset", "tiny"}, options), {"standard output"});
  }
  if (kThreadSanitizer) return;
  // A limit on the size of files stands for the disk: the same failing writes, and no rights
  // needed.
  const std::string parameters = read_file(copy.parameters);
  std::vector<std::string> arguments =
      train_arguments(SmallModel::get().folder(), "model", {"--steps", "12", "--resume"});
  *(std::find(arguments.begin(), arguments.end(), "--out") + 1) = copy.model;
  RunOptions options;
  options.file_limit = 16384;
  check_failed(run_kette(arguments, options), {copy.model, "File too large"});
  CHECK(read_file(copy.parameters) == parameters);
  CHECK(copy.translate().code == 0);
  const Outcome resumed = run_kette(arguments);
  CAPTURE(resumed.err);
  CHECK(resumed.code == 0);  // what was saved before is enough to go on
}

TEST_CASE("bad input: a folder that cannot be written") {
  const SmallModel& small = SmallModel::get();
  // Root may write everywhere but below a file and in /proc.
  for (const std::string& out :
       {small.file("train.en") + "/model", std::string("/proc/kette-model")}) {
    std::vector<std::string> arguments = train_arguments(small.folder(), "unused");
    *(std::find(arguments.begin(), arguments.end(), "--out") + 1) = out;
    check_failed(run_kette(arguments), {out});
  }
  const std::string mean = "/proc/mean.safetensors";
  check_failed(run_kette({"average", small.model() + "/model.safetensors", "--out", mean}), {mean});
  check_failed(run_kette({"translate", "--model", small.model(), "--input", small.file("valid.en"),
                          "--output", "/proc/translation"}),
               {"/proc/translation"});
}

TEST_CASE("bad input: numbers that make no sense") {
  const std::vector<std::string> numbers = {
      "--steps",   "--epochs",     "--minutes",        "--batch-tokens", "--lr",
      "--warmup",  "--vocab",      "--encoder-layers", "--width",        "--heads",
      "--threads", "--accumulate", "--keep",           "--max-length",   "--validate-every"};
  for (const std::string& option : numbers) {
    for (const char* value : {"0", "-3", "nan", "x", "1e999", ""}) {
      CAPTURE(value);
      check_failed(run_kette({"train", option, value}), {option + ": expected a"}, 2);
    }
  }
  check_failed(run_kette({"train", "--hidden", "-1"}),
               {"--hidden: expected a whole number of at least 0, given -1"}, 2);
  for (const char* value : {"-0.1", "1", "1.5", "nan", "inf"}) {
    check_failed(run_kette({"train", "--dropout", value}),
                 {"--dropout: expected a number from 0 to below 1"}, 2);
  }
  check_failed(run_kette({"translate", "--beam", "0"}),
               {"--beam: expected a whole number of at least 1, given 0"}, 2);
  check_failed(run_kette({"translate", "--beam", "99999999999999999999"}),
               {"--beam: expected a whole number"}, 2);
  check_failed(run_kette({"translate", "--length-penalty", "len:-1"}), {"--length-penalty: "}, 2);
  check_failed(run_kette({"translate", "--n-best"}), {"--n-best: expected a value, given nothing"},
               2);
  check_failed(run_kette({"train", "--steps", "5x"}),
               {"--steps: expected a whole number of at least 1, given 5x"}, 2);
  check_failed(run_kette({"train", "--lr", "5x"}), {"--lr: expected a number above 0, given 5x"},
               2);
  check_failed(run_kette({"train", "--seed", "-1"}), {"--seed: expected a whole number"}, 2);
  check_failed(run_kette({"info", "--threads", "100000"}), {"--threads: expected at most"}, 2);
}

TEST_CASE("bad input: settings that contradict each other") {
  const SmallModel& small = SmallModel::get();
  check_failed(run_kette(train_arguments(small.folder(), "odd", {"--heads", "3"})),
               {"heads", "divisor"});
  check_failed(run_kette({"translate", "--model", small.model(), "--n-best", "9", "--beam", "2"}),
               {"n-best"}, 2);
  check_failed(run_kette({"train", "--src", "a", "--out", "x"}), {"--tgt is required"}, 2);
  check_failed(run_kette({"info", "--preset", "tiny", "--model", small.model()}), {"--model"}, 2);
}

TEST_CASE("bad input: a vocabulary larger than the corpus allows") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  check_failed(train(folder, {"--vocab", "100000"}), {"100000"});
}

TEST_CASE("bad input: a source longer than the model's limit") {
  const ModelCopy copy;
  std::string line;
  for (int i = 0; i < 100; ++i) line += "cat ";
  RunOptions options;
  options.input = "the cat sees bread .\n\n" + line + "\n";
  CHECK(copy.translate(options).code == 0);  // in parts
  check_failed(run_kette({"translate", "--model", copy.model, "--split", "lines"}, options),
               {"stdin:3: expected at most 63 tokens", "given"});
  const Outcome cut = run_kette({"translate", "--model", copy.model, "--truncate"}, options);
  CHECK(cut.code == 0);
  CHECK(cut.says("stdin:3: cut"));
  write_file(copy.folder / "long", line + "\n");
  write_file(copy.folder / "short", "cat\n");
  const std::string long_file = (copy.folder / "long").string(),
                    short_file = (copy.folder / "short").string();
  check_failed(
      run_kette({"evaluate", "--model", copy.model, "--src", long_file, "--ref", short_file}),
      {long_file + ":1: expected at most"});
  check_failed(run_kette({"score", "--model", copy.model, "--src", short_file, "--tgt", long_file}),
               {long_file + ":1: expected at most"});
}

TEST_CASE("bad input: devices and precisions") {
  const auto gradcheck = [](const std::string& device) {
    return run_kette({"gradcheck", "exp", "--device", device});
  };
  for (const std::string device : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"}) {
    CAPTURE(device);
    check_failed(gradcheck(device), {"--device", "expected cpu, cuda or cuda:N, given " + device},
                 2);
  }
  check_failed(gradcheck("cuda:63"), {"--device", "given cuda:63"}, 2);
  check_failed(run_kette({"bench", "train", "--precision", "tf32", "--steps", "1"}),
               {"--precision tf32: expected --device cuda beside it, given cpu"});
  check_failed(run_kette({"bench", "train", "--precision", "f16"}), {"--precision", "f16"}, 2);
  if (!kette::cuda_devices().empty()) return;
  check_failed(gradcheck("cuda"), {"expected cpu, given cuda", kette::why_no_cuda()}, 2);
}
