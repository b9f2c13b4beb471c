// The program as scripts see it: names, defaults, configuration files, the last lines of its
// output.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>

#include "tests/cli/run_kette.h"
#include "tests/environment.h"

using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

/// With an environment variable of that value.
Outcome run_kette_with(const char* variable, const char* value,
                       const std::vector<std::string>& arguments) {
  const Environment environment(variable, value);
  return run_kette(arguments);
}

}  // namespace

TEST_CASE("cli: help lists the commands, and quickly") {
  double best = 1;
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Outcome help = run_kette({"--help"});
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    CHECK(help.code == 0);
    for (const char* command : {"train", "tokenize", "translate", "evaluate", "bleu", "score",
                                "average", "gradcheck", "info", "bench"}) {
      CHECK(contains(help.out, command));
    }
  }
  MESSAGE("kette --help: " << 1e3 * best << " ms");
#ifdef __OPTIMIZE__
  CHECK(best < 0.02);  // left out where sanitizers slow it down
#endif
}

TEST_CASE("cli: every command documents its options") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> commands = {
      {{"train"}, "--label-smoothing"},
      {{"tokenize"}, "--documents"},
      {{"translate"}, "--length-penalty"},
      {{"evaluate"}, "--tokenize"},
      {{"bleu"}, "--sentence-level"},
      {{"score"}, "--normalize"},
      {{"split"}, "--language"},
      {{"parse-score"}, "--cutoff"},
      {{"average"}, "--last"},
      {{"merge"}, "--base"},
      {{"gradcheck"}, "--tolerance"},
      {{"info"}, "--preset"},
      {{"bench", "train"}, "--write-batches"},
      {{"bench", "translate"}, "--sentences"},
      {{"bench", "tokenize"}, "--text"},
      {{"bench", "ops"}, "--tokens"}};
  for (auto [words, option] : commands) {
    words.push_back("--help-all");
    const Outcome help = run_kette(words);
    CHECK(help.code == 0);
    CHECK(contains(help.out, option));
    CHECK(contains(help.out, "--config"));
    CHECK(contains(help.out, "--threads"));
  }
  CHECK(contains(run_kette({"train", "--help-all"}).out, "--beta2 X=0.98"));
}

TEST_CASE("cli: unknown names are answered with the nearest") {
  const Outcome command = run_kette({"trian"});
  CHECK(command.code == 2);
  CHECK(command.says("kette: unknown command trian (did you mean train?)"));
  const Outcome option = run_kette({"train", "--stesp", "5"});
  CHECK(option.code == 2);
  CHECK(option.says("unknown option --stesp (did you mean --steps?)"));
  CHECK(run_kette({"bench", "trian"}).says("did you mean train?"));
  CHECK(run_kette({"train", "--preset", "tniy"}).says("did you mean tiny?"));
  const Outcome op = run_kette({"gradcheck", "sofmax"});
  CHECK(op.code == 2);
  CHECK(op.says("unknown op sofmax (did you mean softmax?)"));
  CHECK(run_kette({"info", "b"}).says("unexpected argument b"));
  CHECK(run_kette({}).code == 2);
}

TEST_CASE("cli: options from a file, which the command line overrides") {
  const ScratchFolder folder;
  const std::string file = (folder / "run.toml").string();
  write_file(file, "preset = \"base\"  # the paper's\nvocab = 41_000\njson = true\n");
  const Outcome from_file = run_kette({"info", "--config", file});
  REQUIRE(from_file.code == 0);
  CHECK(from_file.json()["model"]["vocabulary"] == 41000);
  CHECK(from_file.json()["model"]["width"] == 512);
  const Outcome overridden = run_kette({"info", "--config", file, "--preset", "tiny"});
  CHECK(overridden.json()["model"]["width"] == 128);

  write_file(file, "preset = \"base\"\nvocba = 5\n");
  const Outcome unknown = run_kette({"info", "--config", file});
  CHECK(unknown.code == 2);
  CHECK(unknown.says(file + ":2: unknown key vocba (did you mean vocab?)"));
  write_file(file, "vocab = -5\n");
  CHECK(run_kette({"info", "--config", file})
            .says("--vocab: expected a whole number of at least 1, given -5"));
  const Outcome missing = run_kette({"info", "--config", (folder / "none.toml").string()});
  CHECK(missing.code == 1);
  CHECK(missing.says("none.toml"));
}

TEST_CASE("cli: gradcheck of one op, of all by name, and its last line") {
  const Outcome one = run_kette({"gradcheck", "softmax", "--threads", "1"});
  CHECK(one.code == 0);
  CHECK(one.last_line().starts_with("1 passed, 0 failed, worst "));
  CHECK(contains(one.out, "expected "));
  const Outcome list = run_kette({"gradcheck", "--list"});
  CHECK(contains(list.out, "layer_norm"));
  for (const std::vector<std::string>& how : std::vector<std::vector<std::string>>{
           {}, {"--fast"}, {"--order", "2"}, {"--f32"}, {"--repeat", "3"}}) {
    std::vector<std::string> arguments = {"gradcheck", "softmax", "exp", "--json"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    const Outcome outcome = run_kette(arguments);
    CHECK(outcome.code == 0);
    const JsonView json = outcome.json();
    CHECK(json["passed"] == 2);
    CHECK(json["checks"][1]["name"] == "exp");
    CHECK(json["checks"][1]["adjoint"]["worst"] < 1e-3);
    CHECK(json["checks"][0]["differences"]["elements"] > 100);
  }
  CHECK(run_kette({"gradcheck", "exp", "--order", "3"}).says("expected 1 or 2, given 3"));
}

TEST_CASE("cli: gradcheck of a whole model, parameter by parameter") {
  const Outcome model = run_kette({"gradcheck", "--model", "transformer", "--elements", "2"});
  CHECK(model.code == 0);
  CHECK(contains(model.out, "pre-norm decoder/1/cross_attention/key_value/weight"));
  CHECK(contains(model.out, "post-norm shared_embedding/weight"));
  CHECK(contains(model.last_line(), " passed, 0 failed, worst "));
}

TEST_CASE("cli: bleu ends with score and signature") {
  const ScratchFolder folder;
  const std::string reference = (folder / "ref").string();
  write_file(reference, "The cat sat on the mat.\nA dog barks loudly at night.\n");
  RunOptions options;
  options.input = "The cat sat on the mat.\nA dog barks loudly at night.\n";
  const Outcome perfect = run_kette({"bleu", "--ref", reference}, options);
  CHECK(perfect.code == 0);
  CHECK(count_of(perfect.out, "\n") == 1);
  CHECK(contains(perfect.out, "|tok:13a|"));
  CHECK(contains(perfect.out, "= 100.00 "));
  options.input = "the cat sat on the mat.\nA dog barks at night.\n";
  const Outcome lower = run_kette({"bleu", "--ref", reference, "--ref", reference, "--lowercase",
                                   "--tokenize", "char", "--json"},
                                  options);
  CHECK(contains(lower.out, "nrefs:2|"));
  CHECK(contains(lower.out, "|case:lc|"));
  const JsonView json = lower.json();
  CHECK(json["score"].get<double>() > 50);
  CHECK(json["score"].get<double>() < 100);
  const Outcome sentences =
      run_kette({"bleu", "--ref", reference, "--sentence-level", "--metric", "chrf"}, options);
  CHECK(count_of(sentences.out, "\n") == 3);
  CHECK(contains(sentences.last_line(), "chrF2"));
}

TEST_CASE("cli: info counts the parameters of the presets") {
  const Outcome base = run_kette({"info", "--preset", "base", "--json"});
  CHECK(base.code == 0);
  CHECK(contains(base.out, "63,082,496"));
  CHECK(contains(base.out, "Table 3 prints 65 million"));
  const JsonView json = base.json();
  CHECK(json["model"]["parameters"] == 63082496);
  CHECK(!json["blas_core"].text().empty());
  CHECK(run_kette({"info", "--preset", "big", "--json"}).json()["model"]["parameters"] ==
        214245376);
}

#ifdef __x86_64__
TEST_CASE("cli: OPENBLAS_CORETYPE does not hide the best core, KETTE_BLAS_CORE names any") {
  if (!__builtin_cpu_supports("avx512dq") || std::getenv("KETTE_BLAS_CORE") != nullptr) {
    MESSAGE("skipped: no AVX-512, or a core was asked for");
    return;
  }
  const auto core_with = [](const char* variable, const char* value) {
    const Outcome info = run_kette_with(variable, value, {"info", "--json"});
    return info.json()["blas_core"].text();
  };
  CHECK(core_with("OPENBLAS_CORETYPE", "Haswell") == "SkylakeX");
  CHECK(core_with("KETTE_BLAS_CORE", "Haswell") == "Haswell");
}
#endif

TEST_CASE(
    "cli: KETTE_BF16 says how bf16 is multiplied, and without it a CPU that gains nothing trains in f32") {
  if (std::getenv("KETTE_BF16") != nullptr) {
    MESSAGE("skipped: a way was asked for");
    return;
  }
  const auto products = [](const Outcome& info) { return info.json()["bf16_kernels"].text(); };
  CHECK(products(run_kette_with("KETTE_BF16", "f32", {"info", "--json"})) == "f32");
  const Outcome wrong = run_kette_with("KETTE_BF16", "fp8", {"info"});
  CHECK(wrong.code != 0);
  CHECK(contains(wrong.err, "KETTE_BF16: expected amx, pairs or f32, given fp8"));

  const std::vector<std::string> bench = {"bench",    "train", "--precision", "bf16",
                                          "--tokens", "64",    "--steps",     "1",
                                          "--warmup", "0",     "--vocab",     "100"};
  const bool pairs = products(run_kette({"info", "--json"})) != "f32";
  CHECK(contains(run_kette(bench).err, "so f32 it is") == !pairs);
  CHECK(contains(run_kette_with("KETTE_BF16", "", bench).err, "so f32 it is") == !pairs);
  CHECK_FALSE(contains(run_kette_with("KETTE_BF16", "f32", bench).err, "so f32 it is"));
}

TEST_CASE("cli: train, and what it leaves") {
  const SmallModel& small = SmallModel::get();
  CAPTURE(small.outcome().err);
  REQUIRE(small.outcome().code == 0);
  const JsonView json = small.outcome().json();
  CHECK(json["steps"] == 8);
  for (const char* key :
       {"loss", "bleu", "seconds", "target_tokens_per_second", "source_tokens_per_second", "gflops",
        "sgemm_gflops", "sgemm_share", "peak_rss_mib"}) {
    CAPTURE(key);
    CHECK(json[key].is_number());
  }
  for (const char* file :
       {"config.json", "tokenizer.model", "model.safetensors", "config.toml", "log.jsonl"}) {
    CAPTURE(file);
    CHECK(fs::exists(fs::path(small.model()) / file));
  }
}

TEST_CASE("cli: the saved configuration trains the same model") {
  const SmallModel& small = SmallModel::get();
  const std::string again = small.file("again");
  const Outcome outcome =
      run_kette({"train", "--config", small.model() + "/config.toml", "--out", again, "--quiet"});
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(read_file(again + "/model.safetensors") == read_file(small.model() + "/model.safetensors"));
}

TEST_CASE("cli: training goes on where it stopped") {
  const SmallModel& small = SmallModel::get();
  const auto run = [&](const std::string& name, const std::string& steps, bool resume) {
    std::vector<std::string> more = {"--steps", steps, "--validate-every", "4"};
    if (resume) more.push_back("--resume");
    return run_kette(train_arguments(small.folder(), name, more)).code;
  };
  CHECK(run("halves", "4", false) == 0);
  CHECK(run("halves", "4", false) == 1);  // a model is there
  CHECK(run("halves", "8", true) == 0);
  CHECK(read_file(small.file("halves/model.safetensors")) ==
        read_file(small.model() + "/model.safetensors"));
}

TEST_CASE(
    "cli: Ctrl-C finishes the step, saves, and says how to go on; a kill leaves a checkpoint") {
  const SmallModel& small = SmallModel::get();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
    const std::string name = "stopped-" + std::to_string(signal);
    const std::string log = small.file(name + "/log.jsonl");
    RunOptions options;
    options.signal = signal;
    options.signal_when = {log};
    const Outcome stopped =
        run_kette(train_arguments(small.folder(), name, {"--steps", "1000000"}), options);
    if (signal == SIGKILL) {
      CHECK(stopped.code == 128 + SIGKILL);
    } else {
      CHECK(stopped.code == 128 + signal);
      CHECK(stopped.says("--resume"));
    }
    const std::string done = std::to_string(count_of(read_file(log), "\n") + 4);
    const Outcome resumed =
        run_kette(train_arguments(small.folder(), name, {"--steps", done, "--resume", "--json"}));
    CAPTURE(resumed.err);
    REQUIRE(resumed.code == 0);
    CHECK(resumed.json().at("steps") == std::stoi(done));
    RunOptions sentence;
    sentence.input = "the cat\n";
    CHECK(run_kette({"translate", "--model", small.file(name)}, sentence).code == 0);
  }
}

TEST_CASE("cli: translate keeps order and line count, from files and from pipes") {
  const SmallModel& small = SmallModel::get();
  RunOptions options;
  options.input = read_file(small.folder() / "train.en") + "\nlast";
  const Outcome piped = run_kette({"translate", "--model", small.model(), "--beam", "2"}, options);
  CAPTURE(piped.err);
  REQUIRE(piped.code == 0);
  CHECK(count_of(piped.out, "\n") == 62);
  CHECK(piped.says("model.safetensors, step "));
  CHECK(contains(piped.out, "\n\n"));  // the empty line stays one
  const std::string in = small.file("pipe.en"), out = small.file("pipe.de");
  write_file(in, options.input);
  CHECK(run_kette(
            {"translate", "--model", small.model(), "--beam", "2", "--input", in, "--output", out})
            .code == 0);
  CHECK(read_file(out) == piped.out);
  const Outcome n_best =
      run_kette({"translate", "--model", small.model(), "--n-best", "3", "--input", in});
  CHECK(count_of(n_best.out, "\n") > 62);
  CHECK(n_best.out.starts_with("1 ||| "));
}

TEST_CASE("cli: evaluate and score") {
  const SmallModel& small = SmallModel::get();
  const std::vector<std::string> files = {"--model", small.model(), "--src",
                                          small.file("valid.en")};
  auto words = [&](std::vector<std::string> all, const std::vector<std::string>& more) {
    all.insert(all.end(), files.begin(), files.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Outcome bleu =
      run_kette(words({"evaluate"}, {"--ref", small.file("valid.de"), "--tokenize", "none"}));
  CAPTURE(bleu.err);
  CHECK(bleu.code == 0);
  CHECK(contains(bleu.last_line(), "|tok:none|"));
  const Outcome chrf = run_kette(
      words({"evaluate"}, {"--ref", small.file("valid.de"), "--metric", "chrf", "--json"}));
  CHECK(chrf.json()["metric"] == "chrf");
  CHECK(contains(chrf.out, chrf.json()["signature"].text()));
  const Outcome score = run_kette(words({"score"}, {"--tgt", small.file("valid.de"), "--json"}));
  CAPTURE(score.err);
  CHECK(count_of(score.out, "\n") == 3);
  const auto sum = [](const Outcome& o) { return o.json()["log_probability"].get<double>(); };
  CHECK(sum(score) < 0);
  const Outcome rounded =
      run_kette(words({"score"}, {"--tgt", small.file("valid.de"), "--json", "--weights", "bf16"}));
  CHECK(sum(rounded) != sum(score));
  CHECK(sum(rounded) == doctest::Approx(sum(score)).epsilon(0.02));
}

TEST_CASE("translate: what takes long says how far it is") {
  const ScratchFolder folder;
  std::string lines;
  for (int line = 0; line < 400000; ++line) lines += "the cat sees bread .\n";
  write_file(folder / "many", lines);
  RunOptions options;
  options.kill_after = kSanitizer ? 12000000 : 4000000;
  const Outcome outcome =
      run_kette({"translate", "--model", SmallModel::get().model(), "--input",
                 (folder / "many").string(), "--output", "/dev/null", "--threads", "1"},
                options);
  REQUIRE(outcome.code == 128 + SIGKILL);
  CHECK(outcome.says(" sentences  "));
  CHECK(outcome.says(" a second  "));
  CHECK(outcome.says(" left\n"));
}

TEST_CASE("cli: average of the last checkpoints, which translate then takes") {
  const SmallModel& small = SmallModel::get();
  const std::string out = small.file("mean.safetensors");
  const Outcome mean =
      run_kette({"average", "--model", small.model(), "--last", "2", "--out", out});
  CAPTURE(mean.err);
  CHECK(mean.code == 0);
  const Outcome used = run_kette({"translate", "--model", small.model(), "--checkpoint", out,
                                  "--input", small.file("valid.en")});
  CHECK(used.code == 0);
  CHECK(used.says("average of the steps 4,8"));
  const Outcome many =
      run_kette({"average", "--model", small.model(), "--last", "20", "--out", out});
  CHECK(many.code == 1);
  CHECK(many.says("expected at least 20 checkpoints"));
  CHECK(run_kette({"average", "--out", out}).code == 2);
}
