// What is noted of a run while it goes on, and what is read of that.
#include <doctest/doctest.h>

#include <cmath>

#include "data/files/json_text.h"
#include "inspect/heads/induction.h"
#include "inspect/training/training_recorder.h"
#include "inspect/training/training_report.h"
#include "tests/inspect/inspected_models.h"
#include "tests/train/toy_training.h"

using namespace kette;
using namespace kette::testing;

namespace {

using Numbers = std::vector<double>;

void append(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::app) << text;
}

}  // namespace

TEST_CASE("step series: whole lines as they come, and what is noted again replaces what was") {
  const ScratchFolder folder;
  StepSeries log(folder / "log.jsonl");
  log.read();  // not there yet
  CHECK(log.empty());
  append(log.file(), "{\"step\":1,\"loss\":3,\"best\":true}\n{\"step\":2,\"lo");
  log.read();
  CHECK(log["loss"].values == Numbers{3});
  append(log.file(), "ss\":2}\nno JSON\n[1]\n{\"loss\":7}\n{\"step\":3,\"loss\":1.5}\n");
  log.read();
  CHECK(log["loss"].steps == Numbers{1, 2, 3});
  CHECK(log["loss"].values == Numbers{3, 2, 1.5});
  CHECK(log.skipped() == 3);
  CHECK(log.all().size() == 1);  // no number, no series
  // Killed after step 3, it was taken up again at 1.
  append(log.file(), "{\"step\":3,\"valid_loss\":4}\n{\"step\":2,\"loss\":2.5}\n");
  append(log.file(), "{\"step\":2,\"valid_loss\":5}\n{\"step\":2,\"valid_loss\":6}\n");
  log.read();
  CHECK(log["loss"].steps == Numbers{1, 2});
  CHECK(log["loss"].values == Numbers{3, 2.5});
  CHECK(log["valid_loss"].steps == Numbers{2});
  CHECK(log["valid_loss"].values == Numbers{6});
  CHECK(log.last_step() == 2);
  // Another run began there.
  write_file(log.file(), "{\"step\":5,\"heads\":{\"encoder 0\":{\"entropy\":[1,null]}}}\n");
  log.read();
  CHECK(log["loss"].values.empty());
  CHECK(log["heads/encoder 0/entropy/0"].values == Numbers{1});
  CHECK(std::isnan(log["heads/encoder 0/entropy/1"].values.at(0)));
  CHECK(below(log, "heads/encoder 0/").contains("entropy/1"));
}

TEST_CASE("step series: a smooth one is a mean, a thin one keeps the peaks") {
  Series series;
  for (int i = 0; i < 1000; ++i) {
    series.steps.push_back(i);
    series.values.push_back(i == 617 ? 50 : i % 2);
  }
  const Series thin = thinned(series, 100);
  CHECK(thin.steps.size() <= 100);
  CHECK(thin.values[static_cast<std::size_t>(std::find(thin.steps.begin(), thin.steps.end(), 617) -
                                             thin.steps.begin())] == 50);
  CHECK(std::is_sorted(thin.steps.begin(), thin.steps.end()));
  CHECK(thinned(thin, 100).steps == thin.steps);
  CHECK(smoothed({{1, 2, 3}, {3, 5, 10}}, 2).values == Numbers{3, 4, 7});
  const Series gap = smoothed({{1, 2, 3}, {3, std::nan(""), 5}}, 10);
  CHECK(std::isnan(gap.values[1]));
  CHECK(gap.values[2] == 4);
}

TEST_CASE("runs side by side: what they reached, and the settings that differ") {
  const ScratchFolder folder;
  const auto run = [&](const char* name, std::vector<std::pair<std::string, std::string>> settings,
                       const std::string& log) {
    write_file(folder / name, log);
    PlottedRun plotted{name, name, std::move(settings), StepSeries(folder / name), StepSeries("")};
    plotted.log.read();
    return plotted;
  };
  const std::vector<PlottedRun> runs = {
      run("a", {{"out", "a"}, {"lr", "1"}, {"width", "8"}},
          "{\"step\":1,\"loss\":3,\"nll\":2,\"target_tokens\":10}\n"
          "{\"step\":1,\"valid_loss\":2.5,\"valid_bleu\":7}\n"
          "{\"step\":2,\"loss\":3,\"nll\":1,\"target_tokens\":12}\n"
          "{\"step\":2,\"valid_loss\":2.75,\"valid_bleu\":9}\n"),
      run("b", {{"out", "b"}, {"lr", "2"}, {"width", "8"}, {"clip", "1"}}, ""),
      run("c", {{"out", "c"}, {"lr", "1"}, {"width", "8"}},
          "{\"step\":1,\"valid_ter\":50}\n{\"step\":2,\"valid_ter\":60}\n")};
  const std::vector<DifferingSetting> differing = differing_settings(runs);
  REQUIRE(differing.size() == 2);
  CHECK(differing[0].name == "lr");
  CHECK(differing[0].values == std::vector<std::string>{"1", "2", "1"});
  CHECK(differing[1].values == std::vector<std::string>{"", "1", ""});
  const RunSummary a = summary_of(runs[0].log), b = summary_of(runs[1].log),
                   c = summary_of(runs[2].log);
  CHECK(a.train_loss == 1.5);
  CHECK(a.valid_loss.value == 2.5);
  CHECK(a.valid_loss.step == 1);
  CHECK(a.last_valid_loss == 2.75);
  CHECK(a.score == "BLEU");
  CHECK(a.valid_score.step == 2);
  CHECK(a.target_tokens == 22);
  CHECK(c.score == "TER");
  CHECK(c.valid_score.step == 1);
  CHECK_FALSE(a.valid_loss.is_average);
  CHECK(b.score.empty());
  CHECK(b.steps == 0);
  CHECK(std::isnan(b.train_loss));
}

TEST_CASE("runs side by side: an average that is better than every step is the best of a run") {
  const ScratchFolder folder;
  const auto run = [&](const char* name, const std::string& average) {
    write_file(folder / name, "{\"step\":1,\"valid_loss\":1.5,\"valid_bleu\":30}\n" + average);
    PlottedRun plotted{name, name, {}, StepSeries(folder / name), StepSeries("")};
    plotted.log.read();
    return plotted;
  };
  const std::vector<PlottedRun> runs = {
      run("a", "{\"step\":1,\"average\":{\"valid_loss\":1.25,\"valid_bleu\":35}}\n"),
      run("b", "{\"step\":1,\"average\":{\"valid_loss\":1.75,\"valid_bleu\":30}}\n")};
  const RunSummary better = summary_of(runs[0].log), worse = summary_of(runs[1].log);
  CHECK(better.valid_loss.value == 1.25);
  CHECK(better.valid_loss.is_average);
  CHECK(better.valid_score.value == 35);
  CHECK(better.valid_score.is_average);
  CHECK(worse.valid_loss.value == 1.5);
  CHECK_FALSE(worse.valid_loss.is_average);
  CHECK(worse.valid_score.value == 30);
  CHECK_FALSE(worse.valid_score.is_average);
  const Report report = to_report(runs);
  CHECK(
      report.lead.starts_with("After 1 step the lowest validation loss of 2 runs is that of a, "
                              "1.250 nats a target token, of the average of the last checkpoints"));
  CHECK(contains(as_text(report), "1.2500  average"));
  CHECK(contains(as_text(report), "BLEU 35.00  average"));
  CHECK(contains(as_text(report), "BLEU 30.00        1"));
  CHECK(contains(as_page(report), "35.00 BLEU, the average"));
  CHECK(contains(as_json(report).dump(),
                 R"("best_valid_loss":{"value":1.25,"step":1.0,"average":true})"));
}

TEST_CASE("recorded texts: long ones are cut, and a source keeps its end mark") {
  Batch batch;
  batch.source.assign(200, 7);
  batch.source[99] = batch.source[199] = 3;
  batch.target_in.assign(80, 8);
  batch.target_out.assign(80, 9);
  batch.source_segments = Segments::from_lengths({100, 100});
  batch.target_segments = Segments::from_lengths({70, 10});
  const std::vector<Batch> texts = recorded_texts({batch});
  REQUIRE(texts.size() == 2);
  for (const Batch& text : texts) {
    CHECK(text.source.size() == 64);
    CHECK(text.source_segments.rows() == 64);
    CHECK(text.source.back() == 3);
    CHECK(text.source[62] == 7);
  }
  CHECK(texts[0].target_in.size() == 64);
  CHECK(texts[0].target_out.back() == 9);
  CHECK(texts[1].target_in.size() == 10);
}

TEST_CASE("induction scores: of heads that look at all tokens alike") {
  Gpt model(small_gpt());
  model.materialize(1);
  for (const Block& block : model.decoder()) {
    block.self_attention.query_key_value.weight.value().zero();
    block.self_attention.query_key_value.bias.value().zero();
  }
  // 16 positions: four different tokens, four times.
  double expected = 0;
  for (int row = 4; row < 16; ++row) {
    const int earlier = row / 4;  // times that it has occurred before
    expected += static_cast<double>(earlier) / (row + 1) / 12;
  }
  const std::vector<double> scores = induction_scores(model);
  CHECK(scores.size() == 4);
  for (const double score : scores) CHECK(score == doctest::Approx(expected).epsilon(1e-5));
  CHECK(induction_scores(Transformer(small_transformer(NormOrder::pre))).empty());
}

TEST_CASE("effective dimensions: as many as rows spread in, wherever their middle is") {
  std::vector<float> line, cross;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 4; ++j) line.push_back(static_cast<float>(i * (j + 1) + 7));
  }
  CHECK(effective_dimensions(line, 4) == doctest::Approx(1));
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 4; ++j) cross.push_back(5 + (i / 2 == j ? (i % 2 == 0 ? 1.0F : -1.0F) : 0));
  }
  CHECK(effective_dimensions(cross, 4) == doctest::Approx(3));
  CHECK(effective_dimensions({1, 2, 1, 2}, 2) == 0);
}

TEST_CASE_FIXTURE(OneThread,
                  "recorder: the model is trained to the same bits, and every step is there once") {
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "plain");
  options.steps = 8;
  options.validate_every = 4;
  train(options);
  options.out = folder / "watched";
  options.steps = 5;
  RecordOptions record;
  record.parts = RecordOptions::parse_parts("heads,norms,lens");
  CHECK(record.names() == "heads,norms,lens");
  CHECK_THROWS_WITH(RecordOptions::parse_parts("heads,"),
                    "expected one of heads, norms, lens, given ");
  record.every = 3;
  {
    TrainingRecorder recorder(record);
    options.observers = {&recorder};
    train(options);
    CHECK(recorder.seconds() > 0);
  }
  // A kill could have left steps that the run does not know of, and half a line.
  append(options.out / kRecordFile, "{\"step\":6,\"heads\":{}}\n{\"step\":7,\"hea");
  options.steps = 8;
  options.resume = true;
  TrainingRecorder again(record);
  options.observers = {&again};
  train(options);
  CHECK(read_file(options.out / "model.safetensors") ==
        read_file(folder / "plain" / "model.safetensors"));
  StepSeries series(options.out / kRecordFile);
  series.read();
  CHECK(series.skipped() == 0);
  CHECK(recorded_steps(series) == Numbers{0, 3, 5, 6, 8});
  CHECK(series["heads/cross 0/entropy/1"].values.size() == 5);
  CHECK(series["lens/agreement/1"].values.back() == 1);  // the last level is the model itself
  CHECK(series["lens/divergence/1"].values.back() == 0);
  CHECK(series["lens/divergence/0"].values.back() > 0);
  CHECK(series["norms/stream/encoder/1"].values.back() > 0);
  CHECK(series["norms/gradient/encoder 0"].steps == Numbers{3, 6});
  CHECK(series["norms/update/encoder 0"].values.front() > 0);
  CHECK(series["norms/dimensions/decoder/1"].values.back() > 1);
}

TEST_CASE_FIXTURE(OneThread, "recorder: the change that is noted is the one that the step makes") {
  class Looks final : public TrainObserver {
   public:
    void before_step(Task& task, std::int64_t) override {
      before = task.parameters().values().values<float>();
    }
    void after_step(Task& task, std::int64_t) override {
      after = task.parameters().values().values<float>();
      gradients = task.parameters().gradients().values<float>();
    }
    std::vector<float> before, after, gradients;
  };
  const auto squares = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(double(a[i]) - double(b[i]), 2);
    return sum;
  };
  const ScratchFolder folder;
  TranslationTrainOptions options = toy_options(folder, "model");
  options.steps = 2;
  RecordOptions record;
  record.parts = {RecordPart::norms};
  record.every = 2;
  TrainingRecorder recorder(record);
  Looks looks;
  options.observers = {&recorder, &looks};
  train(options);
  StepSeries series(options.out / kRecordFile);
  series.read();
  double gradient = 0;
  for (const auto& [layer, norms] : below(series, "norms/gradient/")) {
    gradient += std::pow(norms.values.back(), 2);
  }
  const std::vector<float> zeros(looks.gradients.size());
  CHECK(gradient == doctest::Approx(squares(looks.gradients, zeros)).epsilon(1e-3));
  double smallest = 1, largest = 0;
  for (const auto& [layer, ratio] : below(series, "norms/update/")) {
    smallest = std::min(smallest, ratio.values.back());
    largest = std::max(largest, ratio.values.back());
  }
  const double all = std::sqrt(squares(looks.after, looks.before) / squares(looks.before, zeros));
  CHECK(smallest <= all);
  CHECK(all <= largest);
  CHECK(largest < 1);
}
