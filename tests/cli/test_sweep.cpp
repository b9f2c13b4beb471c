// kette sweep: a table of runs, which goes on where it was stopped.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "tests/cli/run_bash.h"

using namespace kette::testing;

namespace {

std::string shared_settings(const ScratchFolder& folder) {
  std::string text;
  const auto add = [&](const char* key, const std::string& file) {
    text += std::string(key) + " = \"" + (folder / file).string() + "\"\n";
  };
  add("src", "train.en");
  add("tgt", "train.de");
  add("valid-src", "valid.en");
  add("valid-tgt", "valid.de");
  return text +
         "vocab = 80\nencoder-layers = 1\ndecoder-layers = 1\nwidth = 16\nhidden = 32\nheads = 2\n"
         "batch-tokens = 200\nmodel-max-length = 64\nmax-length = 60\nsteps = 4\nwarmup = 2000\nquiet = true\n";
}

std::string evaluation(const ScratchFolder& folder, const std::string& title = "evaluate",
                       const std::string& text = "valid") {
  return "\n[" + title + "]\nsrc = \"" + (folder / (text + ".en")).string() + "\"\nref = \"" +
         (folder / (text + ".de")).string() + "\"\n";
}

}  // namespace

TEST_CASE("kette sweep: runs are trained, scored and put in a table, once") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml",
             shared_settings(folder) + evaluation(folder) + "[two heads]\n[one head]\nheads = 1\n");
  const std::string out = (folder / "out").string();
  const std::vector<std::string> words = {
      "sweep", (folder / "runs.toml").string(), "--out", out, "--threads", "1", "--json"};
  const Outcome first = run_kette(words);
  REQUIRE_MESSAGE(first.code == 0, first.err);
  CHECK(first.says("[two heads], 1 of 2\n"));
  CHECK(first.says("[one head], 2 of 2, about 0:0"));
  const auto json = first.json();
  const auto& run = json.at("runs").at("one head");
  REQUIRE(run.at("results").size() == 1);
  const auto& result = run.at("results")[0];
  CHECK(result.at("steps") == 4);
  CHECK(result.at("parameters") > 1000);
  CHECK(result.at("evaluation").at("sentences") == 2);
  CHECK(run.at("score") == result.at("evaluation").at("score"));
  CHECK(run.at("against").at("name") == "two heads");
  const std::string table = read_file(folder / "out" / "table.md");
  CHECK(contains(table, "| one head | heads = 1 | "));
  CHECK(contains(table, "\nscore: bleu, "));
  CHECK(contains(first.out, table));

  // Again: nothing is left to do. One more run: that alone.
  const Outcome again = run_kette(words);
  CHECK(again.code == 0);
  CHECK_FALSE(again.says("one head"));
  write_file(folder / "runs.toml", shared_settings(folder) + evaluation(folder) +
                                       "[two heads]\n[one head]\nheads = 1\n[slow]\nlr = 1e-5\n");
  const Outcome more = run_kette(words);
  CHECK(more.code == 0);
  CHECK(more.says("[slow], 3 of 3, about 0:0"));
  CHECK(more.says(" left: lr = 1e-5"));
  CHECK_FALSE(more.says("[one head]"));

  // The same name with other settings is another run.
  write_file(folder / "runs.toml",
             shared_settings(folder) + evaluation(folder) + "[two heads]\n[one head]\nheads = 4\n");
  const Outcome other = run_kette(words);
  CHECK(other.code == 1);
  CHECK(other.says("train.toml: expected the settings of "));
}

TEST_CASE(
    "kette sweep: of several seeds the table has means, and whether runs differ by more than chance") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", "seeds = [1, 2]\nagainst = \"a\"\n" + shared_settings(folder) +
                                       evaluation(folder) + "[a]\n[b]\nlr = 0.01\n");
  const std::string out = (folder / "out").string();
  const Outcome outcome = run_kette(
      {"sweep", (folder / "runs.toml").string(), "--out", out, "--threads", "1", "--json"});
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(outcome.says("[a, seed 2], 2 of 4"));
  CHECK(outcome.says("[b, seed 1], 3 of 4, about 0:0"));
  CHECK(outcome.says(" left: lr = 0.01"));
  CHECK(contains(read_file(folder / "out" / "a" / "seed 2" / "train.toml"), "\nseed = 2\n"));
  const auto runs = outcome.json().at("runs");
  for (const char* name : {"a", "b"}) {
    const auto& results = runs.at(name).at("results");
    REQUIRE(results.size() == 2);
    CHECK(results[0].at("perplexity") != results[1].at("perplexity"));
    double sum = 0;
    for (const auto& result : results) sum += result.at("evaluation").at("score").get<double>();
    CHECK(runs.at(name).at("score").get<double>() == doctest::Approx(sum / 2));
  }
  CHECK_FALSE(runs.at("a").contains("against"));
  const auto& against = runs.at("b").at("against");
  CHECK(against.at("difference").get<double>() ==
        doctest::Approx(runs.at("b").at("score").get<double>() -
                        runs.at("a").at("score").get<double>()));
  CHECK(against.at("bootstrap_p") > 0);
  CHECK(against.at("bootstrap_p") <= 1);
  const std::string table = read_file(folder / "out" / "table.md");
  CHECK(contains(table, "| b | lr = 0.01 | "));
  CHECK(contains(table, "means of up to 2 seeds"));
  CHECK(contains(table, ", a | 4 | "));
  CHECK(contains(table, "by paired bootstrap resampling (bs:1000|seed:12345)"));
}

TEST_CASE("kette sweep: several texts are evaluated, each compared by itself") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto sweep = [&](const std::string& evaluations) {
    write_file(folder / "runs.toml", "seeds = [1, 2]\n" + shared_settings(folder) + evaluations +
                                         "[a]\n[b]\nlr = 0.01\n");
    const Outcome outcome =
        run_kette({"sweep", (folder / "runs.toml").string(), "--out", (folder / "out").string(),
                   "--threads", "2", "--jobs", "2", "--json"});
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    return outcome.json().at("runs").at("b");
  };
  const std::string both = evaluation(folder, "evaluate short one") + "metric = \"chrf\"\n" +
                           evaluation(folder, "evaluate long one", "train") + "metric = \"chrf\"\n";
  const auto b = sweep(both);
  const auto& results = b.at("results");
  for (const auto& [name, sentences] : {std::pair{"short one", 2}, {"long one", 60}}) {
    const std::string key = std::string("evaluation ") + name;
    double sum = 0;
    for (const auto& result : results) {
      CHECK(result.at(key).at("sentences") == sentences);
      sum += result.at(key).at("score").get<double>();
    }
    CHECK(b.at(key).at("score").get<double>() == doctest::Approx(sum / 2));
    CHECK(b.at(key).at("against").at("name") == "a");
  }
  CHECK_FALSE(b.contains("score"));
  const std::string table = read_file(folder / "out" / "table.md");
  CHECK(contains(table, "| perplexity | short one | beside | long one | beside | steps |"));
  CHECK(contains(table, "\nlong one: chrf, "));
  CHECK(std::filesystem::exists(folder / "out" / "b" / "seed 2" / "translations long one.txt"));

  // One that is no longer asked for goes from the table; with another setting it is done again.
  const std::string model =
      read_file(folder / "out" / "b" / "seed 1" / "model" / "model.safetensors");
  const auto again = sweep(evaluation(folder, "evaluate long one", "train"));
  CHECK_FALSE(again.contains("evaluation short one"));
  CHECK(again.at("results")[0].at("evaluation long one").at("metric") == "bleu");
  CHECK(read_file(folder / "out" / "b" / "seed 1" / "model" / "model.safetensors") == model);
  CHECK_FALSE(contains(read_file(folder / "out" / "table.md"), "short one"));
  CHECK(sweep(both).at("evaluation short one").at("score") ==
        b.at("evaluation short one").at("score"));
}

TEST_CASE("kette sweep: against other references a model is scored anew") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "test.en", read_file(folder / "valid.en"));
  write_file(folder / "test.de", read_file(folder / "valid.de"));
  write_file(folder / "runs.toml",
             shared_settings(folder) + evaluation(folder, "evaluate", "test") + "[a]\n");
  const auto sweep = [&] {
    const Outcome outcome = run_kette({"sweep", (folder / "runs.toml").string(), "--out",
                                       (folder / "out").string(), "--threads", "1"});
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  };
  sweep();
  const std::filesystem::path translations = folder / "out" / "a" / "translations.txt";
  write_file(folder / "test.de", read_file(translations));  // which are perfect now
  sweep();
  CHECK(contains(read_file(folder / "out" / "table.md"), "| 100.00 |"));
}

TEST_CASE("kette sweep: the perplexity is that of the model that is scored, in a second try, too") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", shared_settings(folder) + evaluation(folder) +
                                       "[mean]\nvalidate-every = 2\naverage = 2\n");
  const std::vector<std::string> words = {"sweep",     (folder / "runs.toml").string(),
                                          "--out",     (folder / "out").string(),
                                          "--threads", "1",
                                          "--json"};
  const auto perplexity = [&] {
    const Outcome outcome = run_kette(words);
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    return outcome.json().at("runs").at("mean").at("perplexity");
  };
  const auto first = perplexity();
  const std::string log = read_file(folder / "out" / "mean" / "model" / "log.jsonl");
  double least = std::numeric_limits<double>::infinity();  // of the mean, and of what it is made of
  for (const JsonView& json : JsonView::lines(log)) {
    const JsonView verdict = json.contains("average") ? json.at("average") : json;
    if (verdict.contains("valid_loss"))
      least = std::min(least, verdict.at("valid_loss").get<double>());
  }
  CHECK(first.get<double>() == doctest::Approx(std::exp(least)));
  std::filesystem::remove(folder / "out" / "mean" / "result.json");  // stopped before it was scored
  CHECK(perplexity() == first);
}

TEST_CASE("kette sweep: settings that make no sense are told before anything is trained") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", shared_settings(folder) + "[good]\n[bad]\nheds = 1\n");
  const std::vector<std::string> words = {"sweep",     (folder / "runs.toml").string(),
                                          "--out",     (folder / "out").string(),
                                          "--threads", "1"};
  const Outcome outcome = run_kette(words);
  CHECK(outcome.code == 2);
  CHECK(outcome.says("heds"));
  CHECK(outcome.says("did you mean heads?"));
  CHECK_FALSE(std::filesystem::exists(folder / "out" / "good" / "model"));
}

TEST_CASE("kette sweep: a file that was put right is taken, and a trained model scored anew") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto sweep = [&](const std::string& text) {
    write_file(folder / "runs.toml", text);
    return run_kette({"sweep", (folder / "runs.toml").string(), "--out", (folder / "out").string(),
                      "--threads", "1"});
  };
  const auto model = folder / "out" / "a" / "model";
  const std::string shared = shared_settings(folder), scored = shared + evaluation(folder);
  const Outcome warm = sweep(scored + "[a]\nwarmup = -20\n");
  CHECK(warm.code == 2);
  CHECK(warm.says("runs.toml:22: --warmup: expected a whole number of at least 1, given -20"));
  const Outcome unknown = sweep(shared + "[evaluate]\nsorc = \"x\"\n[a]\n");
  CHECK(unknown.code == 2);
  CHECK(
      unknown.says("unknown key sorc (did you mean src?); the keys are the options of kette "
                   "evaluate --help-all"));
  CHECK(sweep(shared + "[evaluate]\nsrc = \"/nowhere\"\nref = \"/nowhere\"\n[a]\n")
            .says("expected a file, given /nowhere, which is not there"));
  CHECK_FALSE(std::filesystem::exists(model));

  CHECK(sweep(scored + "[a]\nwarmup = 20\n").code == 0);
  const std::string parameters = read_file(model / "model.safetensors");
  const Outcome anew = sweep(scored + "metric = \"chrf\"\n[a]\nwarmup = 20\n");
  REQUIRE_MESSAGE(anew.code == 0, anew.err);
  CHECK(contains(read_file(folder / "out" / "table.md"), "score: chrf, "));
  CHECK(read_file(model / "model.safetensors") == parameters);
  CHECK(sweep(scored + "[a]\nwarmup = 30\n").says("train.toml: expected the settings of "));
}

TEST_CASE("kette sweep: runs on other data are not put beside each other") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const std::vector<std::string> words = {"sweep",     (folder / "runs.toml").string(),
                                          "--out",     (folder / "out").string(),
                                          "--threads", "1"};
  write_file(folder / "runs.toml", shared_settings(folder) + "[a]\n");
  CHECK(run_kette(words).code == 0);
  const std::string source = read_file(folder / "train.en");
  write_file(folder / "train.en", "a cat" + source.substr(source.find(' ')));
  write_file(folder / "runs.toml", shared_settings(folder) + "[a]\n[b]\nlr = 0.01\n");
  const Outcome outcome = run_kette(words);
  CHECK(outcome.code == 1);
  CHECK(outcome.says("train.en: expected the source text that [a] was trained with"));
  CHECK_FALSE(std::filesystem::exists(folder / "out" / "b" / "model"));
}

TEST_CASE("kette sweep: a run that fails is told and tried again, the others are done") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const std::string uneven = (folder / "uneven.de").string();  // as only training finds out
  write_file(uneven, "ein mann\n");
  write_file(folder / "runs.toml",
             shared_settings(folder) + "[bad]\ntgt = \"" + uneven + "\"\n[good]\n");
  const std::vector<std::string> words = {"sweep",     (folder / "runs.toml").string(),
                                          "--out",     (folder / "out").string(),
                                          "--threads", "1"};
  const Outcome outcome = run_kette(words);
  CHECK(outcome.code == 1);
  CHECK(outcome.says(uneven));
  CHECK(outcome.says("expected results of all 2 runs, given none of 1"));
  CHECK(std::filesystem::exists(folder / "out" / "good" / "result.json"));
  CHECK(contains(read_file(folder / "out" / "table.md"), "| bad | tgt = " + uneven + " |"));
}

TEST_CASE("kette sweep: a run that is killed is told, the others are done") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", shared_settings(folder) + "[long]\nsteps = 1000000\n[short]\n");
  const std::string out = (folder / "out").string(), log = out + "/long/model/log.jsonl";
  const Outcome outcome = run_bash(
      "'" + kette_binary() + "' sweep '" + (folder / "runs.toml").string() + "' --out '" + out +
      "' --threads 1 &\nwhile [[ ! -s '" + log + "' ]] && kill -0 $!; do sleep 0.01; done\n" +
      "kill -9 $(cat /proc/$!/task/*/children)\nwait $!");
  CAPTURE(outcome.out);
  CHECK(outcome.code == 1);
  CHECK(contains(outcome.out, "[long] was killed by signal 9 (Killed)"));
  CHECK(contains(outcome.out, "expected results of all 2 runs, given none of 1"));
  CHECK(std::filesystem::exists(folder / "out" / "short" / "result.json"));
}

TEST_CASE("kette sweep: what ends it is told, whichever run it comes up with") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", shared_settings(folder) + "[long]\nsteps = 1000000\n[short]\n");
  std::filesystem::create_directories(folder / "out" / "table.md");
  const Outcome outcome = run_kette({"sweep", (folder / "runs.toml").string(), "--out",
                                     (folder / "out").string(), "--threads", "2", "--jobs", "2"});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(outcome.says("table.md: expected a file to write, given a directory"));
}

TEST_CASE("kette sweep: a signal to it alone stops the run at work, which saves its state") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", shared_settings(folder) + "[long]\nsteps = 1000000\n");
  const auto model = folder / "out" / "long" / "model";
  RunOptions options;
  options.signal = SIGTERM;
  options.signal_when = {model / "log.jsonl"};
  const Outcome outcome = run_kette({"sweep", (folder / "runs.toml").string(), "--out",
                                     (folder / "out").string(), "--threads", "1"},
                                    options);
  CHECK(outcome.code == 128 + SIGTERM);
  CHECK(outcome.says("stopped in [long]; the same command goes on from there"));
  CHECK(std::filesystem::exists(model / "training.safetensors"));
}

TEST_CASE("kette sweep: several runs at a time come to what they do one after the other") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", "seeds = [1, 2]\n" + shared_settings(folder) +
                                       evaluation(folder) + "[a]\n[b]\nlr = 0.01\nquiet = false\n");
  const auto results = [&](const std::string& jobs) {
    const Outcome outcome =
        run_kette({"sweep", (folder / "runs.toml").string(), "--out", (folder / jobs).string(),
                   "--threads", "2", "--jobs", jobs, "--json"});
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    CHECK(outcome.says("\n[b, seed 2] validation at step 4: ") == (jobs != "1"));
    const JsonView runs = outcome.json().at("runs");
    std::vector<std::string> told;
    for (const std::string& name : runs.keys()) {
      told.push_back(name + runs[name].without({"seconds", "results"}).dump());
      for (const JsonView& result : runs[name]["results"]) {
        told.push_back(result.without({"seconds"}).dump());
      }
    }
    return told;
  };
  CHECK(results("3") == results("1"));
  CHECK(run_kette({"sweep", (folder / "runs.toml").string(), "--out", (folder / "0").string(),
                   "--jobs", "0"})
            .says("--jobs: expected a whole number from 1 to below 65, given 0"));
}

TEST_CASE("kette sweep: a signal stops all runs at work, and none begins after it") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  std::string runs = shared_settings(folder);
  for (const char* name : {"a", "b", "c"}) {
    runs += "[" + std::string(name) + "]\nsteps = 1000000\n";
  }
  write_file(folder / "runs.toml", runs);
  RunOptions options;
  options.signal = SIGTERM;
  for (const char* name : {"a", "b"}) {
    options.signal_when.push_back(folder / "out" / name / "model" / "log.jsonl");
  }
  const Outcome outcome = run_kette({"sweep", (folder / "runs.toml").string(), "--out",
                                     (folder / "out").string(), "--threads", "2", "--jobs", "2"},
                                    options);
  CAPTURE(outcome.err);
  CHECK(outcome.code == 128 + SIGTERM);
  CHECK(outcome.says("stopped in [a]; the same command goes on from there"));
  CHECK(outcome.says("stopped in [b]; the same command goes on from there"));
  CHECK(std::filesystem::exists(folder / "out" / "a" / "model" / "training.safetensors"));
  CHECK(std::filesystem::exists(folder / "out" / "b" / "model" / "training.safetensors"));
  CHECK_FALSE(std::filesystem::exists(folder / "out" / "c" / "model"));
}
