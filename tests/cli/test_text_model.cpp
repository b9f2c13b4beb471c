// Language models from the command line: text in, a model, text out, and what is refused.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/cli/call_kette.h"
#include "tests/cli/refusals.h"

using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

std::string corpus() {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += i % 3 == 0 ? "the cat sees bread.\n" : i % 3 == 1 ? "a dog hears it.\n" : "so do we.\n";
  }
  return text;
}

/// A model of single characters, trained once for all tests.
class TextModel {
 public:
  static const TextModel& get() {
    static const TextModel model;
    return model;
  }
  std::string path(const std::string& name = "model") const { return (folder_ / name).string(); }
  const Outcome& outcome() const { return outcome_; }

  /// `kette train` on the text, into NAME.
  Outcome train(const std::string& name, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {
        "train", "--out",     path(name), "--layers", "1",    "--width",
        "16",    "--hidden",  "32",       "--heads",  "2",    "--context",
        "16",    "--steps",   "40",       "--lr",     "0.01", "--validate-every",
        "20",    "--threads", "1",        "--warmup", "5",    "--quiet"};
    if (std::find(more.begin(), more.end(), "--text") == more.end()) {
      arguments.insert(arguments.end(), {"--text", path("text.txt")});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return call_kette(arguments);
  }

 private:
  TextModel() {
    write_file(folder_ / "text.txt", corpus());
    outcome_ = train("model", {"--json"});
  }
  ScratchFolder folder_;
  Outcome outcome_;
};

Outcome generate(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"generate", "--model", TextModel::get().path(), "--threads",
                                        "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return call_kette(arguments);
}

}  // namespace

TEST_CASE("text model: training reports, and the saved configuration trains the same again") {
  const TextModel& model = TextModel::get();
  CAPTURE(model.outcome().err);
  REQUIRE(model.outcome().code == 0);
  const JsonView json = model.outcome().json();
  CHECK(json["steps"] == 40);
  CHECK(json["valid_loss"].get<double>() < 2.5);
  CHECK(json["target_tokens_per_second"].get<double>() > 0);
  for (const char* file : {"config.json", "characters.json", "model.safetensors", "config.toml"}) {
    CHECK(fs::exists(fs::path(model.path()) / file));
  }
  const std::string again = model.path("again");
  const Outcome repeated =
      call_kette({"train", "--config", model.path() + "/config.toml", "--out", again, "--quiet"});
  CAPTURE(repeated.err);
  CHECK(repeated.code == 0);
  CHECK(read_file(fs::path(again) / "model.safetensors") ==
        read_file(fs::path(model.path()) / "model.safetensors"));
}

TEST_CASE("text model: what is studied trains by options, loads by its files and generates") {
  const TextModel& model = TextModel::get();
  const Outcome trained =
      model.train("studied", {"--hidden", "0", "--norm-kind", "none", "--no-tied-output",
                              "--no-biases", "--smeared-keys", "--json"});
  CAPTURE(trained.err);
  REQUIRE(trained.code == 0);
  const std::string folder = model.path("studied");
  const JsonView config = JsonView::parse(read_file(fs::path(folder) / "config.json"));
  CHECK(config["hidden"] == 0);
  CHECK(config["norm_kind"] == "none");
  CHECK(config["tied_output"] == false);
  CHECK(config["biases"] == false);
  CHECK(config["smeared_keys"] == true);
  const std::string toml = read_file(fs::path(folder) / "config.toml");
  for (const char* line :
       {"\ntied-output = false\n", "\nbiases = false\n", "\nsmeared-keys = true\n"}) {
    CHECK(contains(toml, line));
  }
  const Outcome again = call_kette({"train", "--config", folder + "/config.toml", "--out",
                                    model.path("studied-again"), "--quiet"});
  CAPTURE(again.err);
  CHECK(again.code == 0);
  CHECK(read_file(fs::path(model.path("studied-again")) / "model.safetensors") ==
        read_file(fs::path(folder) / "model.safetensors"));
  const std::vector<std::string> greedy = {"generate", "--model",       folder,
                                           "--prompt", "the c",         "--max-tokens",
                                           "6",        "--temperature", "0"};
  CHECK(call_kette(greedy).out.size() == 5 + 6 + 1);
  const Outcome shown = call_kette({"info", "--model", folder, "--points"});
  CHECK(contains(shown.out, "output projection"));
  CHECK(contains(shown.out, "layers/0/attention_norm/sum"));
  CHECK_FALSE(contains(shown.out, "feed_forward"));
  check_refused(call_kette({"train", "--preset", "tiny", "--hidden", "0", "--src", "a", "--tgt",
                            "b", "--out", model.path("none")}),
                "hidden: expected at least 1, given 0", 1);
}

TEST_CASE(
    "text model: shared keys, windows and slopes train by options and generate beyond the window") {
  const TextModel& model = TextModel::get();
  const Outcome trained =
      model.train("cheap", {"--heads", "4", "--kv-heads", "2", "--attention-window", "5",
                            "--positions", "alibi", "--json"});
  CAPTURE(trained.err);
  REQUIRE(trained.code == 0);
  const std::string folder = model.path("cheap");
  const JsonView config = JsonView::parse(read_file(fs::path(folder) / "config.json"));
  CHECK(config["kv_heads"] == 2);
  CHECK(config["attention_window"] == 5);
  CHECK(config["positions"] == "alibi");
  const std::vector<std::string> greedy = {"generate", "--model",       folder,
                                           "--prompt", "the cat sees ", "--max-tokens",
                                           "12",       "--temperature", "0"};
  CHECK(call_kette(greedy).out.size() == 13 + 12 + 1);
  const JsonView info = call_kette({"info", "--model", folder, "--json"}).json();
  const std::int64_t width = config["width"].get<std::int64_t>(),
                     layers = config["layers"].get<std::int64_t>();
  CHECK(info["model"]["cache_bytes"] == 2 * layers * (width / 2) * 5 * 4);
  const auto refused = [&](const std::vector<std::string>& more, const char* message) {
    check_refused(model.train("none", more), message, 1);
  };
  refused({"--heads", "4", "--kv-heads", "3"},
          "kv_heads: expected a divisor of the heads 4, given 3");
  refused({"--heads", "4", "--kv-heads", "8"}, "kv_heads: expected at most 4, given 8");
  refused({"--heads", "4", "--kv-heads", "2", "--smeared-keys"},
          "kv_heads: expected as many as heads, 4, beside smeared keys, given 2");
  check_refused(model.train("none", {"--attention-window", "-1"}), "--attention-window", 2);
}

TEST_CASE("text model: linear attention trains, generates beyond the context, and keeps a state") {
  const TextModel& model = TextModel::get();
  const Outcome trained = model.train(
      "linear", {"--heads", "4", "--attention", "linear", "--attention-dropout", "0", "--json"});
  CAPTURE(trained.err);
  REQUIRE(trained.code == 0);
  const std::string folder = model.path("linear");
  const JsonView config = JsonView::parse(read_file(fs::path(folder) / "config.json"));
  CHECK(config["attention"] == "linear");
  const JsonView info = call_kette({"info", "--model", folder, "--json"}).json();
  const std::int64_t head_width = config["width"].get<std::int64_t>() / 4,
                     layers = config["layers"].get<std::int64_t>();
  CHECK(info["model"]["cache_bytes"] == layers * 4 * head_width * (head_width + 1) * 4);
  CHECK(contains(call_kette({"info", "--model", folder}).out, "whatever the length"));
  const std::vector<std::string> greedy = {"generate", "--model",       folder,
                                           "--prompt", "the cat sees ", "--max-tokens",
                                           "12",       "--temperature", "0"};
  CHECK(call_kette(greedy).out.size() == 13 + 12 + 1);
  const auto refused = [&](std::vector<std::string> more, const char* message) {
    more.insert(more.end(), {"--attention", "linear"});
    check_refused(model.train("none", more), message, 1);
  };
  refused({"--attention-dropout", "0.1"},
          "attention_dropout: expected 0 (there are no weights to drop) beside linear attention");
  refused({"--attention-dropout", "0", "--positions", "rotary"},
          "positions: expected learned ones");
  refused({"--attention-dropout", "0", "--attention-window", "4"}, "attention_window: expected 0");
  refused({"--attention-dropout", "0", "--smeared-keys"}, "smeared_keys: expected none");
}

TEST_CASE("text model: weights may be rounded to bf16 or int8") {
  for (const char* weights : {"bf16", "int8"}) {
    const std::vector<std::string> rounded = {"--weights",    weights, "--prompt",      "the c",
                                              "--max-tokens", "5",     "--temperature", "0"};
    const Outcome outcome = generate(rounded);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.size() == 5 + 5 + 1);
  }
  check_refused(generate({"--weights", "int3"}), "expected f32|bf16|int8, given int3", 2);
  const TextModel& model = TextModel::get();
  check_refused(call_kette({"evaluate", "--model", model.path(), "--text", model.path("text.txt"),
                            "--weights", "bf16"}),
                "--weights bf16: expected a translation model", 1);
  check_refused(call_kette({"evaluate", "--model", model.path(), "--text", model.path("text.txt"),
                            "--cache", "bf16"}),
                "--cache bf16: expected a translation model", 1);
}

TEST_CASE("text model: keys and values may be kept in bf16") {
  const auto with_cache = [](const std::string& type) {
    return generate(
        {"--cache", type, "--prompt", "the c", "--max-tokens", "9", "--beam", "3", "--json"});
  };
  const auto score = [](const Outcome& outcome) {
    REQUIRE(outcome.code == 0);
    return outcome.json()["texts"][0]["score"].get<double>();
  };
  const double exact = score(with_cache("f32")), rounded = score(with_cache("bf16"));
  CHECK(rounded != exact);
  CHECK(rounded == doctest::Approx(exact).epsilon(0.05));
  check_refused(with_cache("int8"), "--cache: expected f32|bf16, given int8", 2);
}

TEST_CASE("text model: a beam search finds the likeliest texts, best first") {
  const Outcome outcome =
      generate({"--prompt", "the c", "--beam", "4", "--num", "3", "--max-tokens", "9", "--json"});
  CHECK(outcome.code == 0);
  const JsonView texts = outcome.json()["texts"];
  REQUIRE(texts.size() == 3);
  CHECK(texts[0]["score"] >= texts[1]["score"]);
  CHECK(texts[1]["score"] >= texts[2]["score"]);
  CHECK(outcome.out.starts_with("the c" + texts[0]["text"].text() + "\n---"));
  const Outcome short_model =  // of 16 positions
      generate({"--prompt", "the c", "--beam", "2", "--no-stop", "--json"});
  REQUIRE(short_model.code == 0);
  CHECK(short_model.json()["texts"][0]["tokens"] == 16 - 5);
  check_refused(generate({"--prompt", "the c", "--beam", "2", "--num", "3"}),
                "--num: expected at most --beam, 2, given 3", 2);
  check_refused(generate({"--prompt", "the c", "--beam", "2", "--top-k", "3"}), "--beam", 2);
  check_refused(generate({"--prompt", "the c", "--beam", "2", "--max-tokens", "100000"}),
                "expected prompt and text of at most", 1);
}

TEST_CASE("text model: generated text is streamed, seeded and counted") {
  const Outcome greedy =
      generate({"--prompt", "the c", "--temperature", "0", "--max-tokens", "40"});
  CHECK(greedy.code == 0);
  CHECK(greedy.out.substr(0, 5) == "the c");
  CHECK(greedy.out.size() == 5 + 40 + 1);  // past the context of 16
  CHECK(generate({"--prompt", "the c", "--top-k", "1", "--max-tokens", "40"}).out == greedy.out);
  CHECK(generate({"--prompt", "the c", "--temperature", "0", "--max-tokens", "40", "--no-echo"})
            .out == greedy.out.substr(5));
  const Outcome seeded = generate({"--seed", "3", "--num", "3", "--json"});
  const JsonView json = seeded.json();
  CHECK(json["texts"].size() == 3);
  CHECK(json["texts"][0] != json["texts"][1]);
  CHECK(generate({"--seed", "3", "--json"}).json()["texts"][0] == json["texts"][0]);
  RunOptions input;
  input.input = "a dog";
  const Outcome piped = run_kette(
      {"generate", "--model", TextModel::get().path(), "--prompt-file", "-", "--max-tokens", "3"},
      input);
  CHECK(piped.out.substr(0, 5) == "a dog");
  const Outcome longer = generate({"--prompt", "the cat sees the dog", "--max-tokens", "3"});
  CHECK(longer.code == 0);
  CHECK(longer.says("the prompt has 20 tokens, of which the model sees the last 16\n"));
  check_refused(generate({"--prompt", "the zebra"}), "z", 1);
  check_refused(generate({"--temperature", "-1"}), "--temperature", 2);
  check_refused(generate({"--top-p", "0"}), "--top-p", 2);
}

TEST_CASE("text model: evaluation says loss, perplexity and bits per byte, of text or of tokens") {
  const TextModel& model = TextModel::get();
  const auto evaluate = [&](const std::string& text) {
    return call_kette({"evaluate", "--model", model.path(), "--text", text, "--stride", "8",
                       "--json", "--threads", "1"});
  };
  const Outcome outcome = evaluate(model.path("text.txt"));
  CAPTURE(outcome.err);
  REQUIRE(outcome.code == 0);
  const JsonView json = outcome.json();
  const double loss = json["loss"].get<double>(), bytes = json["bytes"].get<double>(),
               tokens = json["tokens"].get<double>();
  CHECK(loss < 2.5);
  CHECK(json["perplexity"].get<double>() == doctest::Approx(std::exp(loss)));
  CHECK(json["bits_per_byte"].get<double>() ==
        doctest::Approx(loss / std::log(2.0) * tokens / bytes));
  CHECK(tokens == bytes + 1);  // the end of the text
  const std::string ids = model.path("text.tokens");
  CHECK(call_kette({"tokenize", "--text", model.path("text.txt"), "--tokenizer", model.path(),
                    "--out", ids, "--quiet"})
            .code == 0);
  CHECK(evaluate(ids).json() == json);
  check_refused(model.train("no-tokenizer", {"--text", ids}), "give --tokenizer", 1);
  check_refused(call_kette({"evaluate", "--model", model.path()}), "expected --src and --ref", 2);
}

TEST_CASE("text model: every kind of tokenizer trains and generates") {
  const TextModel& model = TextModel::get();
  const std::pair<const char*, std::vector<std::string>> kinds[] = {
      {"byte", {"--tokenizer", "byte"}},
      {"sentencepiece", {"--tokenizer", "sentencepiece", "--vocab", "300"}},
      {"modern", {"--positions", "rotary", "--norm-kind", "rms", "--feed-forward", "swiglu"}}};
  for (const auto& kind : kinds) {
    const std::string name = kind.first;
    CAPTURE(name);
    const Outcome outcome = model.train(name, kind.second);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const Outcome text = call_kette({"generate", "--model", model.path(name), "--prompt", "the cat",
                                     "--max-tokens", "5", "--threads", "1"});
    CHECK(text.code == 0);
    CHECK(text.out.substr(0, 7) == "the cat");
    // What is heard token by token is the text that they are together.
    const Outcome stream =
        call_kette({"generate", "--model", model.path(name), "--prompt", "the cat", "--max-tokens",
                    "150", "--temperature", "0", "--no-stop", "--threads", "1", "--json"});
    REQUIRE(stream.code == 0);
    const auto whole = stream.json()["texts"][0].text();
    CHECK(whole.size() > 100);
    CHECK(stream.out.starts_with("the cat" + whole));
  }
}

TEST_CASE(
    "text model: options of the other kind of model, and models of the other kind, are refused") {
  const TextModel& model = TextModel::get();
  check_refused(model.train("x", {"--encoder-layers", "2"}), "--encoder-layers", 2);
  check_refused(model.train("x", {"--src", "a"}), "--src", 2);
  check_refused(model.train("x", {"--preset", "tiny"}), "--preset", 2);
  check_refused(model.train("x", {"--preset", "gpt9"}), "char-cpu", 2);
  check_refused(model.train("x", {"--tokenizer", "nothing"}), "nothing", 2);
  check_refused(call_kette({"train", "--preset", "gpt2", "--src", "a", "--out", "x"}), "--text", 2);
  check_refused(call_kette({"translate", "--model", model.path()}), "a translation model", 1);
  check_refused(call_kette({"generate", "--model", SmallModel::get().model()}), "a language model",
                1);
  write_file(fs::path(model.path("short.txt")), "so");
  check_refused(model.train("y", {"--text", model.path("short.txt")}), "window", 1);
  check_refused(model.train("z", {"--text", model.path("none.txt")}), "none.txt", 1);
  CHECK_FALSE(fs::exists(fs::path(model.path("z")) / "config.json"));
}

TEST_CASE("text model: a tokenizer that does not belong to the model is refused") {
  const TextModel& model = TextModel::get();
  const std::string other = model.path("other-characters");
  fs::copy(model.path(), other, fs::copy_options::recursive);
  write_file(fs::path(other) / "characters.json", "[\"a\", \"b\"]");
  check_refused(call_kette({"generate", "--model", other, "--prompt", "ab"}),
                "expected the tokenizer that the model was made with", 1);
  fs::remove(fs::path(other) / "characters.json");
  check_refused(call_kette({"generate", "--model", other, "--prompt", "ab"}), "characters.json", 1);
}

TEST_CASE("text model: a text goes on from its prompt with the space that is between them") {
  const SmallModel& small = SmallModel::get();
  const std::string model = small.file("goes-on"),
                    prompt =
                        "the cat sees bread . a dog hears water . the child likes music . a man";
  const Outcome trained = call_kette({"train",
                                      "--text",
                                      small.file("train.en"),
                                      "--out",
                                      model,
                                      "--tokenizer",
                                      small.model(),
                                      "--layers",
                                      "1",
                                      "--width",
                                      "16",
                                      "--heads",
                                      "2",
                                      "--steps",
                                      "2",
                                      "--batch-tokens",
                                      "128",
                                      "--context",
                                      "64",
                                      "--quiet"});
  REQUIRE_MESSAGE(trained.code == 0, trained.err);
  const std::vector<std::string> generate = {"generate", "--model", model,          "--prompt",
                                             prompt,     "--json",  "--max-tokens", "9"};
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--num", "8"}, {"--beam", "8", "--num", "8"}}) {
    const Outcome outcome = call_kette(with(generate, how));
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    std::string printed;
    int begin_with_space = 0;
    const auto json = outcome.json();
    for (const auto& one : json.at("texts")) {
      const std::string text = (one.is_string() ? one : one.at("text")).text();
      if (text.starts_with(' ')) ++begin_with_space;
      printed += (printed.empty() ? "" : "---------------\n") + prompt + text + "\n";
    }
    CHECK(begin_with_space > 0);
    CHECK(outcome.out.starts_with(printed));
  }
  const std::vector<std::string> afresh = {"generate", "--model", model, "--max-tokens", "9"};
  CHECK(call_kette(with(afresh, {"--prompt", ""})).out == call_kette(afresh).out);
}
