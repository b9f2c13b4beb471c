// A command within another program (cli/host.h): values instead of prints, exceptions instead of exit codes, and nothing of
// the process changed.
#include <doctest/doctest.h>
#include <omp.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/host.h"
#include "cli/option_tree.h"
#include "cli/options.h"
#include "inspect/report/report.h"
#include "tests/cli/call_kette.h"

using namespace kette;
using namespace kette::testing;

namespace {

class TestHost : public cli::CommandHost {
 public:
  TestHost() : CommandHost(text_, said_) {}

  void take(const Report& report) override { titles.push_back(report.title); }
  void take_json(const nlohmann::ordered_json& json) override { result = json; }
  std::optional<cli::HostModel> model(const std::string& name) override {
    if (given == nullptr || name != "mine") return {};
    return cli::HostModel{given->model.get(), given->tokenizer, given->metadata, given->weights};
  }
  void log(const std::string& json) override {
    logged.push_back(json);
    if (std::ssize(logged) == stop_after) interrupt(SIGINT);
  }

  std::string text() const { return text_.str(); }
  std::string said() const { return said_.str(); }

  nlohmann::ordered_json result;
  std::vector<std::string> titles, logged;
  const SavedModel<Model>* given = nullptr;
  std::ptrdiff_t stop_after = 0;

 private:
  std::ostringstream text_, said_;
};

std::vector<std::string> evaluation_of(const std::string& model) {
  const SmallModel& small = SmallModel::get();
  return {"evaluate",
          "--model",
          model,
          "--src",
          small.file("valid.en"),
          "--ref",
          small.file("valid.de"),
          "--beam",
          "2",
          "--threads",
          "1",
          "--json"};
}

std::vector<std::string> explanation_of(const std::string& model) {
  return {"explain", "--model", model, "the cat sees bread .", "--json"};
}

/// But for what differs from run to run.
nlohmann::ordered_json without_times(nlohmann::ordered_json json) {
  for (const char* key : {"seconds", "peak_rss_mib"}) json.erase(key);
  return json;
}

}  // namespace

TEST_CASE("a command in a host: the report, JSON and text are those of the program") {
  const std::vector<std::string> arguments = evaluation_of(SmallModel::get().model());
  const Outcome program = call_kette(arguments);
  REQUIRE(program.code == 0);
  const int threads = omp_get_max_threads();
  TestHost first, second;
  CHECK(cli::run_command(first, arguments) == 0);
  CHECK(cli::run_command(second, arguments) == 0);
  CHECK(omp_get_max_threads() == threads);
  CHECK(Host::current() == nullptr);
  CHECK(first.text() + first.result.dump() + "\n" == program.out);
  CHECK(second.text() == first.text());
  CHECK(second.result == first.result);
  CHECK(first.titles.size() == 1);
}

TEST_CASE("a command in a host: errors are exceptions, and nothing is printed") {
  TestHost host;
  CHECK_THROWS_AS(cli::run_command(host, {"evaluate", "--beem", "2"}), cli::UsageError);
  CHECK_THROWS_AS(cli::run_command(host, {"bleu", "--ref", "/nowhere"}), Error);
  CHECK_THROWS_AS(cli::run_command(host, {"split"}), Error);  // there is no stdin
  CHECK(host.text().empty());
  CHECK(cli::run_command(host, {"gradcheck", "--list"}) == 0);
  CHECK(contains(host.text(), "matmul"));
}

TEST_CASE("a command in a host: a model in memory, with what was changed there") {
  const SmallModel& small = SmallModel::get();
  const SavedModel<Model> saved = load_model<Model>(small.model());
  const auto explained = [&](const std::string& model) {
    TestHost host;
    host.given = &saved;
    CHECK(cli::run_command(host, explanation_of(model)) == 0);
    return without_times(host.result);
  };
  const auto before = explained(small.model());
  CHECK(explained("mine") == before);
  saved.model->parameters().values().zero();
  CHECK(explained("mine") != before);
  CHECK(explained(small.model()) == before);
  TestHost host;
  host.given = &saved;
  CHECK(cli::run_command(host, evaluation_of("mine")) == 0);
}

TEST_CASE(
    "a command in a host: a model in memory without a tokenizer is compared, but reads no text") {
  SavedModel<Model> saved = load_model<Model>(SmallModel::get().model());
  saved.tokenizer = nullptr;
  TestHost host;
  host.given = &saved;
  CHECK(cli::run_command(host, {"compare", "mine", "mine"}) == 0);
  const std::string folder = SmallModel::get().model(), text = "the cat sees bread .";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compare", "mine", "mine", text},
        {"compare", folder, "mine", text},
        {"compare", "mine", folder, text},
        explanation_of("mine")}) {
    CHECK(
        contains(message_of([&] { cli::run_command(host, words); }), " with a tokenizer, given "));
  }
}

TEST_CASE(
    "a training in a host: it tells each step, and an interrupt saves its state and leaves signals alone") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::vector<std::string> arguments =
      train_arguments(small.folder(), (folder / "run").string(), {"--json"});
  void (*before)(int) = std::signal(SIGINT, SIG_IGN);
  TestHost host;
  host.stop_after = 4;
  CHECK(cli::run_command(host, arguments) == 128 + SIGINT);
  const bool is_left_alone = std::signal(SIGINT, before) == SIG_IGN;
  CHECK(is_left_alone);
  CHECK(contains(host.said(), "goes on from step"));
  CHECK(std::filesystem::exists(folder / "run" / "training.safetensors"));
  CHECK(host.logged.size() >= 4);
}

TEST_CASE("the commands as data: kinds, words, defaults and flags that can be switched off") {
  std::map<std::string, cli::CommandDescription> all;
  for (const cli::CommandDescription& one : cli::described_commands()) {
    CHECK_FALSE(one.help.empty());
    if (one.parts.empty()) all.emplace(one.words.back(), one);
  }
  REQUIRE(all.contains("translate"));
  std::map<std::string, cli::OptionDescription> options;
  for (const auto& option : all.at("evaluate").options) options.emplace(option.name, option);
  using Kind = cli::OptionDescription::Kind;
  CHECK(options.at("--beam").kind == Kind::whole);
  CHECK(options.at("--beam").initial == "5");
  CHECK(options.at("--model").is_list);
  CHECK_FALSE(options.at("--model").is_required);  // there is one to try
  CHECK(all.at("quantize").options.front().is_required);
  CHECK(options.at("--src").kind == Kind::path);
  CHECK(options.at("--weights").words == std::vector<std::string>{"f32", "bf16", "int8"});
  CHECK(options.at("--allow-unknown").opposite == "--no-unknown");
  CHECK(all.at("explain").options.size() > 5);
  CHECK(all.contains("ops"));  // of bench
  CHECK(cli::described_command({}).parts.size() > 30);
  CHECK(cli::described_command({"bench", "ops"}).options.size() == all.at("ops").options.size());
  std::map<std::string, cli::OptionDescription> common;
  for (const auto& option : all.at("ops").options) common.emplace(option.name, option);
  CHECK(common.at("--json").kind == Kind::flag);
  CHECK(common.at("--json").type == "[=FILE]");
}
