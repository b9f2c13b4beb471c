// `kette plot` and `kette train --page`, as a person would use them.
#include <doctest/doctest.h>

#include "inspect/training/run_summary.h"
#include "inspect/training/training_recorder.h"
#include "tensor/shortest.h"
#include "tests/cli/call_kette.h"
#include "tests/inspect/browser.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Two runs of a few steps, recorded, trained once for all tests.
class SmallRuns {
 public:
  SmallRuns() {
    write_small_corpus(folder_.path());
    const std::vector<std::string> watched = {"--page",
                                              "--record",
                                              "heads,norms,lens",
                                              "--record-every",
                                              "2",
                                              "--json",
                                              "--steps",
                                              "6",
                                              "--validate-every",
                                              "3",
                                              "--clip-norm",
                                              "1"};
    first_ = call_kette(train_arguments(folder_.path(), "first", watched));
    plain_ = call_kette(train_arguments(
        folder_.path(), "second",
        {"--steps", "6", "--validate-every", "3", "--lr", "0.02", "--log", "tensorboard"}));
  }
  static const SmallRuns& get() {
    static const SmallRuns runs;
    return runs;
  }

  const Outcome& first() const { return first_; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  ScratchFolder folder_;
  Outcome first_, plain_;
};

}  // namespace

TEST_CASE("train: --log tensorboard leaves a file of events beside the log") {
  const SmallRuns& runs = SmallRuns::get();
  const auto files = files_in(runs.path("second/tensorboard"));
  REQUIRE(files.size() == 1);
  for (const char* tag : {"train/loss", "train/lr", "valid/loss", "valid/bleu"}) {
    CHECK(contains(files.begin()->second, tag));
  }
  CHECK_FALSE(std::filesystem::exists(runs.path("first/tensorboard")));
}

TEST_CASE("plot: --csv has every number of the logs, a row for each") {
  const SmallRuns& runs = SmallRuns::get();
  const ScratchFolder folder;
  const std::string file = (folder / "runs.csv").string();
  REQUIRE(call_kette({"plot", runs.path("first"), runs.path("second"), "--csv", file}).code == 0);
  const std::string csv = read_file(file);
  CHECK(csv.starts_with("run,step,name,value\nfirst,"));
  std::size_t rows = 1;
  for (const char* name : {"first/log.jsonl", "first/record.jsonl", "second/log.jsonl"}) {
    StepSeries log(runs.path(name));
    log.read();
    for (const auto& [key, series] : log.all()) {
      rows += series.steps.size();
      const std::string run = std::string(name).substr(0, std::string(name).find('/'));
      const std::string row = "\n" + run + "," + shortest(series.steps.back()) + "," + key + "," +
                              shortest(series.values.back()) + "\n";
      CAPTURE(row);
      CHECK(contains(csv, row));
    }
  }
  CHECK(count_of(csv, "\n") == rows);
  CHECK(call_kette({"plot", runs.path("first"), "--csv", file}).code == 0);  // instead of it

  const std::string log = read_file(runs.path("first/log.jsonl"));
  const Outcome own =
      call_kette({"plot", runs.path("first"), "--csv", runs.path("first/log.jsonl")});
  CHECK(own.code == 2);
  CHECK(own.says("--csv: expected a new file or an earlier CSV of kette plot, given "));
  CHECK(read_file(runs.path("first/log.jsonl")) == log);
}

TEST_CASE("runs as CSV: names are quoted where they must be, what is not finite is NaN") {
  const ScratchFolder folder;
  write_file(folder / "log.jsonl", "{\"step\":1,\"a,b\":0.25,\"loss\":null}\n");
  PlottedRun run{"x\"y", "", {}, StepSeries(folder / "log.jsonl"), StepSeries(folder / "none")};
  run.log.read();
  CHECK(to_csv({run}) == "run,step,name,value\n\"x\"\"y\",1,\"a,b\",0.25\n\"x\"\"y\",1,loss,NaN\n");
}

TEST_CASE("train: --page and --record leave a page and the same model") {
  const SmallRuns& runs = SmallRuns::get();
  INFO(runs.first().err);
  REQUIRE(runs.first().code == 0);
  const JsonView json = runs.first().json();
  CHECK(json["page_seconds"].get<double>() > 0);
  CHECK(json["record_seconds"].get<double>() > 0);
  const std::string page = checked_page(runs.path("first/page.html"));
  CHECK(contains(page, "after 6 steps"));
  CHECK(contains(page, "What each head became"));
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const Outcome plain = call_kette(train_arguments(
      folder.path(), "plain", {"--steps", "6", "--validate-every", "3", "--clip-norm", "1"}));
  REQUIRE(plain.code == 0);
  CHECK(read_file(folder / "plain" / "model.safetensors") ==
        read_file(runs.path("first/model.safetensors")));
  CHECK_FALSE(std::filesystem::exists(folder / "plain" / "page.html"));
  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page, R"(
      document.querySelector('.map.wide').click();
      const text = document.querySelector('dialog[open]').textContent;
      document.body.prepend(element('output', { textContent: graphs.length + ' ; ' + text }));)");
  CHECK(opened.console == "");
  CHECK(contains(opened.document, "encoder 0.1"));
  CHECK(contains(opened.document, "Heads by steps."));
}

TEST_CASE("train: what is to be recorded is asked for by name") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const Outcome outcome =
      call_kette(train_arguments(folder.path(), "m", {"--record", "heads,hats"}));
  CHECK(outcome.code == 2);
  CHECK(outcome.says("expected one of heads, norms, lens, given hats"));
}

TEST_CASE("plot: several runs as tables, as JSON and as a page that a browser opens") {
  const SmallRuns& runs = SmallRuns::get();
  const ScratchFolder folder;
  const std::string out = (folder / "page.html").string();
  const Outcome outcome =
      call_kette({"plot", runs.path("first"), runs.path("second/"), "--out", out, "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(contains(outcome.out, "Settings that differ"));
  const JsonView json = outcome.json();
  REQUIRE(json["runs"].size() == 2);
  CHECK(json["runs"][0]["name"] == "first");
  CHECK(json["runs"][1]["name"] == "second");
  CHECK(json["runs"][0]["steps"] == 6);
  CHECK(json["runs"][0]["recorded_steps"] == 4);
  CHECK(json["runs"][1]["settings"]["lr"] == "0.02");
  CHECK(json["runs"][0]["best_valid_loss"]["value"].get<double>() > 0);
  CHECK(json["runs"][0]["seconds"].get<double>() > 0);
  const std::string page = checked_page(out);
  CHECK(json["page_bytes"].get<std::size_t>() == page.size());
  CHECK(contains(page, "first, validation"));
  CHECK(contains(page, " BLEU at "));  // after its number, by which the column is sorted
  CHECK(contains(page, "Norm of the gradient"));

  KETTE_NEEDS_BROWSER();
  const Opened opened = open_page(page, R"(
      const loss = graphs[0].graph, rate = graphs.find((one) => one.chart.title === 'Learning rate').graph;
      loss.updateOptions({ dateWindow: [2, 4] });
      zoomTogether(loss, graphs[0].chart);
      const zoomed = rate.xAxisRange().join();
      document.querySelector('.legend span').click();
      const visible = [loss.visibility().filter((one) => !one).length, rate.visibility().join()].join();
      const choice = document.querySelector('.scales select');
      const names = [...choice.options].map((option) => option.textContent).join();
      choice.selectedIndex = 1;
      choice.dispatchEvent(new Event('change'));
      const tokens = graphs[0].graph.xAxisRange()[1] > 100;
      document.body.prepend(element('output', { textContent: [zoomed, visible, names, tokens].join(' ; ') }));)");
  CHECK(opened.console == "");
  CHECK(contains(
      opened.document,
      "<output>2,4 ; 2,false,true ; step,target tokens,minutes of training ; true</output>"));
  INFO(opened.document.substr(opened.document.find("<output>"), 200));
}

TEST_CASE("plot: runs that hardly are any") {
  const ScratchFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const std::filesystem::path empty = folder / "empty";
  std::filesystem::create_directory(empty);
  CHECK(call_kette({"plot"}).code == 2);
  CHECK(call_kette({"plot", path("none")})
            .says("expected the folder of a training run, given nothing that is there"));
  CHECK(call_kette({"plot", path("empty")}).says("given one without a log.jsonl"));
  write_file(empty / "log.jsonl", "");
  CHECK(call_kette({"plot", path("empty"), path("empty/")}).code == 2);
  CHECK(call_kette({"plot", (empty / "log.jsonl").string()}).says("given a file"));
  const Outcome nothing = call_kette({"plot", path("empty"), "--out", path("page.html"), "--json"});
  INFO(nothing.err);
  CHECK(nothing.code == 0);
  CHECK(nothing.json()["runs"][0]["loss"].is_null());
  const std::string page = read_file(path("page.html"));
  CHECK(contains(page, "Nothing has been trained yet."));
  write_file(empty / "log.jsonl", "{\"step\":1,\"loss\":2}\nrubbish\n{\"step\":2,\"lo");
  const Outcome torn = call_kette({"plot", path("empty")});
  CHECK(torn.code == 0);
  CHECK(torn.says("1 lines left out"));
  write_file(empty / "config.toml", "lr = \n");
  CHECK(call_kette({"plot", path("empty")}).says("config.toml:1"));
  KETTE_NEEDS_BROWSER();
  CHECK(open_page(page).console == "");
}
