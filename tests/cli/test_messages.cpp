// What a person is told about input that is not what it should be, in words that help, and that it
// costs neither the machine's memory nor the terminal its state.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/host.h"
#include "tests/cli/call_kette.h"
#include "tests/cli/refusals.h"

using namespace kette::testing;
namespace fs = std::filesystem;

namespace {

/// A terminal of which what is written to it can be read.
class Terminal {
 public:
  Terminal() : side_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    REQUIRE(side_ >= 0);
    REQUIRE(::grantpt(side_) == 0);
    REQUIRE(::unlockpt(side_) == 0);
    name_ = ::ptsname(side_);
    other_ = ::open(name_.c_str(), O_RDWR | O_NOCTTY);  // so that it outlives the program
  }
  ~Terminal() {
    ::close(other_);
    ::close(side_);
  }
  const std::string& name() const { return name_; }
  std::string text() const {
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = ::read(side_, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int side_, other_ = -1;
  std::string name_;
};

/// Trains a language model of a width of 8.
std::string tiny_model(const ScratchFolder& folder, const std::string& text,
                       const std::vector<std::string>& more) {
  write_file(folder / "text", text);
  const std::string model = (folder / "model").string();
  std::vector<std::string> arguments = {"train",     "--text",    (folder / "text").string(),
                                        "--out",     model,       "--layers",
                                        "1",         "--width",   "8",
                                        "--hidden",  "8",         "--heads",
                                        "1",         "--context", "8",
                                        "--threads", "1",         "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome trained = run_kette(arguments);
  CAPTURE(trained.err);
  REQUIRE(trained.code == 0);
  return model;
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("messages: input without an end is refused at the limit, and memory stays") {
  const SmallModel& small = SmallModel::get();
  RunOptions zeros;
  zeros.input_file = "/dev/zero";
  zeros.memory_limit = std::int64_t{2} << 30;
  const std::string line = ":1: expected at most 262144 bytes in a line";
  const std::string model = small.model(), good = small.file("valid.en");
  const std::vector<std::string> translate = {"translate", "--model", model, "--threads", "1"};
  check_refused(run_kette(translate, zeros), "stdin" + line);
  check_refused(run_kette({"bleu", "--ref", good, "--threads", "1"}, zeros), "stdin" + line);
  RunOptions limited;
  limited.memory_limit = zeros.memory_limit;
  const std::string zero = "/dev/zero";
  std::vector<std::string> from_file = translate;
  from_file.insert(from_file.end(), {"--input", zero});
  check_refused(run_kette(from_file, limited), zero + line);
  check_refused(run_kette({"bleu", "--ref", zero, "--threads", "1"}, limited), zero + line);
  check_refused(
      run_kette({"evaluate", "--model", model, "--src", good, "--ref", zero, "--threads", "1"},
                limited),
      zero + line);
  check_refused(
      run_kette({"score", "--model", model, "--src", zero, "--tgt", good, "--threads", "1"},
                limited),
      zero + line);
}

TEST_CASE("messages: more lines than a text has are refused where it is read whole") {
  RunOptions newlines;
  newlines.input = std::string((std::size_t{1} << 20) + 1, '\n');
  check_refused(run_kette({"bleu", "--ref", SmallModel::get().file("valid.de")}, newlines),
                "stdin:1048577: expected at most 1048576 lines");
}

TEST_CASE("messages: input that is refused leaves an earlier output as it is") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  write_file(folder / "out", "earlier\n");
  write_file(folder / "bad", std::string("g\0u\0t\0\n\0", 8));
  check_refused(run_kette({"translate", "--model", small.model(), "--input",
                           (folder / "bad").string(), "--output", (folder / "out").string()}),
                ":1:1: expected UTF-8, given UTF-16");
  CHECK(read_file(folder / "out") == "earlier\n");
}

TEST_CASE("messages: sizes beyond any model are refused by name") {
  const SmallModel& small = SmallModel::get();
  const auto train = [&](const std::vector<std::string>& more) {
    return run_kette(train_arguments(small.folder(), "absent", more));
  };
  check_refused(train({"--model-max-length", "9223372036854775807"}),
                "max_length: expected at most 131072, given 9223372036854775807");
  check_refused(train({"--width", "1000000000", "--heads", "1"}),
                "width: expected at most 131072, given 1000000000");
  check_refused(train({"--model-max-length", "2"}),
                "--model-max-length: expected a whole number of at least 3, given 2", 2);
  check_refused(run_kette({"info", "--preset", "tiny", "--vocab", "9223372036854775807"}),
                "vocabulary: expected at most 16777216, given 9223372036854775807");
  check_refused(run_kette({"translate", "--model", small.model(), "--beam", "100"}),
                "beam: expected at most 78, as many as the model has tokens to choose from");
  CHECK(!fs::exists(small.file("absent")));
}

TEST_CASE("messages: a model directory that asks for a million layers is refused at once") {
  const ScratchFolder folder;
  fs::copy(SmallModel::get().model(), folder / "model", fs::copy_options::recursive);
  const fs::path file = folder / "model" / "config.json";
  const std::string good = read_file(file), key = "\"encoder_layers\": 1";
  for (const auto& [layers, said] :
       {std::pair<std::string, std::string>{"000000", "expected at most 10000, given 1000000"},
        {"000", "model.safetensors: expected at least"}}) {
    std::string bad = good;
    bad.insert(bad.find(key) + key.size(), layers);
    write_file(file, bad);
    RunOptions options;
    options.memory_limit = std::int64_t{2} << 30;
    for (const char* command : {"translate", "export"}) {
      std::vector<std::string> arguments = {command, "--model", (folder / "model").string()};
      if (command == std::string("export")) {
        arguments.insert(arguments.end(), {"--out", (folder / "exported").string()});
      }
      check_refused(run_kette(arguments, options), said);
    }
  }
}

TEST_CASE("messages: options of one kind of model beside the other's text") {
  check_refused(run_kette({"train", "--valid-src", "x", "--text", "y", "--out", "z"}),
                "--valid-src: expected for a translation model, given beside --text", 2);
  check_refused(run_kette({"train", "--valid-text", "x", "--src", "y", "--out", "z"}),
                "--valid-text: expected with --text beside it, given without", 2);
}

TEST_CASE("messages: a pipe where text is read more than once") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  fs::remove(folder / "train.en");
  REQUIRE(::mkfifo((folder / "train.en").c_str(), 0600) == 0);
  const std::string said =
      "train.en: expected a file that can be read more than once, given a pipe";
  check_refused(run_kette(train_arguments(folder.path(), "model")), said);
  check_refused(run_kette({"train", "--text", (folder / "train.en").string(), "--out",
                           (folder / "model").string()}),
                said);
  CHECK(!fs::exists(folder / "model"));
}

TEST_CASE("messages: pipes in the place of a model's files are refused, and not waited for") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const fs::path model = folder / "model";
  RunOptions soon;
  soon.kill_after = 60'000'000;
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.model", "text.json"}) {
    CAPTURE(name);
    fs::remove_all(model);
    fs::copy(small.model(), model, fs::copy_options::recursive);
    fs::remove(model / name);
    REQUIRE(::mkfifo((model / name).c_str(), 0600) == 0);
    const Outcome outcome =
        run_kette({"translate", "--model", model.string(), "--threads", "1"}, soon);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(outcome.says(name));
  }
}

TEST_CASE("messages: a program with little room for threads and memory ends, and says so") {
  const SmallModel& small = SmallModel::get();
  RunOptions little;
  little.memory_limit = 150 << 20;
  little.kill_after = 60'000'000;
  const Outcome outcome = run_kette(train_arguments(small.folder(), "little"), little);
  CAPTURE(outcome.err);
  CHECK(outcome.code != 128 + SIGKILL);
  CHECK_FALSE(outcome.says("not foreseen"));
}

TEST_CASE("messages: UTF-16 is called that") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  using namespace std::string_literals;
  write_file(folder / "valid.en", "\xFF\xFEt\0h\0e\0\n\0"s);
  check_refused(run_kette(train_arguments(folder.path(), "model")), "iconv -f UTF-16 -t UTF-8");
  write_file(folder / "text", "t\0h\0e\0 \0c\0a\0t\0\n\0"s);
  check_refused(run_kette({"train", "--text", (folder / "text").string(), "--out",
                           (folder / "lm").string(), "--threads", "1"}),
                "given UTF-16 (convert the text first, for example with iconv -f UTF-16LE");
}

TEST_CASE("messages: control characters of names and files are made visible") {
  const ScratchFolder folder;
  write_file(folder / "\x1b[2J.txt", "b\xF6se\n");
  const std::string name = (folder / "\x1b[2J.txt").string();
  const Outcome refused = run_kette({"bleu", "--ref", name});
  check_refused(refused, "\\x1b[2J.txt:1:2: expected UTF-8");
  CHECK(!refused.says("\x1b"));
  const Outcome missing = run_kette({"generate", "--model", "\x1b]0;title\x07"});
  check_refused(missing, "\\x1b]0;title\\x07: expected a model directory");
  CHECK(!missing.says("\x1b"));

  fs::copy(SmallModel::get().model(), folder / "\x1bmodel", fs::copy_options::recursive);
  RunOptions options;
  options.input = "the cat sees bread .\n";
  const Outcome good = run_kette(
      {"translate", "--model", (folder / "\x1bmodel").string(), "--threads", "1"}, options);
  CHECK(good.code == 0);
  CHECK(good.says("\\x1bmodel/model.safetensors, step"));
  CHECK(!good.says("\x1b"));
}

TEST_CASE("messages: text of a model is made visible on a terminal, and is as it is in a file") {
  const ScratchFolder folder;
  const std::string model =
      tiny_model(folder, repeated("\x1b[31m ab\n", 60), {"--steps", "1", "--batch-tokens", "16"});
  const std::vector<std::string> arguments = {
      "generate", "--model", model, "--prompt", "\x1b[31m", "--max-tokens", "1", "--threads", "1"};
  const Outcome plain = run_kette(arguments);
  CHECK(plain.out.starts_with("\x1b[31m"));
  const Terminal terminal;
  RunOptions options;
  options.output_file = terminal.name();
  CHECK(run_kette(arguments, options).code == 0);
  const std::string shown = terminal.text();
  CAPTURE(shown);
  CHECK(shown.starts_with("\\x1b[31m"));
  CHECK(shown.find('\x1b') == std::string::npos);
}

TEST_CASE("messages: who is waited for at a terminal is told so") {
  const ScratchFolder folder;
  const Terminal terminal;
  {
    const Redirected in(STDIN_FILENO, terminal.name(), O_RDONLY | O_NOCTTY),
        err(STDERR_FILENO, folder / "err", O_WRONLY | O_CREAT | O_TRUNC);
    CHECK(kette::cli::stdin_descriptor() == STDIN_FILENO);
  }
  CHECK(read_file(folder / "err") == "kette: reading lines from the terminal; Ctrl-D ends\n");
  CHECK_FALSE(call_kette({"split"}, "He came.\n").says("terminal"));
}

TEST_CASE("messages: a character of several tokens comes to a terminal whole") {
  const ScratchFolder folder;
  const std::string model = tiny_model(folder, repeated("ä", 1000),
                                       {"--tokenizer", "byte", "--steps", "60", "--batch-tokens",
                                        "64", "--lr", "0.1", "--warmup", "5"});
  const Terminal terminal;
  RunOptions options;
  options.output_file = terminal.name();
  CHECK(run_kette({"generate", "--model", model, "--prompt", "ä", "--max-tokens", "6",
                   "--temperature", "0", "--threads", "1"},
                  options)
            .code == 0);
  CHECK(terminal.text() == "ääää\r\n");
}

TEST_CASE("messages: nothing to do is no error, from a file or from stdin") {
  const SmallModel& small = SmallModel::get();
  write_file(small.file("nothing"), "");
  const std::vector<std::string> translate = {"translate", "--model", small.model()};
  for (const std::string& input : {small.file("nothing"), std::string("-")}) {
    const Outcome outcome = run_kette(with(translate, {"--input", input}));
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.empty());
  }
  RunOptions options;
  options.input = "the cat sees bread .\n";
  CHECK(run_kette(with(translate, {"--input", "-"}), options).out ==
        run_kette(translate, options).out);
}

TEST_CASE("messages: sentences that an evaluation cuts are counted") {
  const SmallModel& small = SmallModel::get();
  std::string longer;
  for (int i = 0; i < 30; ++i) longer += "the cat sees bread . ";
  write_file(small.file("long.en"), longer + "\na man\n");
  write_file(small.file("long.de"), "brot\nein mann\n");
  const std::vector<std::string> evaluate = {"evaluate",
                                             "--model",
                                             small.model(),
                                             "--src",
                                             small.file("long.en"),
                                             "--ref",
                                             small.file("long.de"),
                                             "--beam",
                                             "1"};
  CHECK(run_kette(evaluate).says("(--truncate cuts it off)"));
  const Outcome outcome = run_kette(with(evaluate, {"--truncate"}));
  CHECK(outcome.code == 0);
  CHECK(outcome.says("long.en: 1 of 2 sentences cut"));
}

TEST_CASE("messages: a text that begins with a dash, and how it is given") {
  const std::string how = "(a text that begins with - stands behind --, after all options)";
  for (const char* text : {"- Milk", "-5 degrees outside."}) {
    check_refused(call_kette({"translate", text}), how, 2);
  }
  CHECK_FALSE(call_kette({"translate", "--beem"}).says("stands behind --"));
  CHECK_FALSE(call_kette({"info", "-5"}).says("stands behind --"));  // which takes no text
}

TEST_CASE("messages: commands and help read as a person would write them") {
  const Outcome bench = run_kette({"bench"});
  CHECK(bench.code == 2);
  CHECK(bench.says("kette bench: expected one of train, translate, "));
  const std::string help = run_kette({"generate", "--help-all"}).out;
  CHECK(contains(help, "--echo,--no-echo "));
  CHECK_FALSE(contains(help, "{false}"));
  CHECK(contains(run_kette({"info", "--preset", "gpt2-xl"}).out, "adds 0.0064 n for"));
  const Outcome ops = run_kette({"gradcheck", "--list", "--json"});
  CHECK(ops.last_line().starts_with("{\"ops\":[{\"op\":"));
  CHECK(run_kette({"compare", "/nowhere", "/nowhere"}).code == 2);
  const SmallModel& small = SmallModel::get();
  const std::string model = small.file("the model's");
  std::filesystem::create_directory_symlink(small.model(), model);
  CHECK(contains(run_kette({"tape", "--model", model, "--node", "3"}).out,
                 "the model'\\''s' --check=3\n"));
  const std::string page = small.file("named.html");
  CHECK(run_kette({"explain", "--model", small.model() + "/", "a man .", "--out", page}).code == 0);
  CHECK(contains(read_file(page), "How model, a "));
}
