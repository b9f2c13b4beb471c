// What the words of a `kette train` become.
#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "cli/train_options.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::cli;
using testing::contains;

namespace {

/// Its options after these words; the files they name are not looked at.
class ParsedTrain {
 public:
  explicit ParsedTrain(std::vector<std::string> words) {
    words.insert(words.end(), {"--out", "model"});
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    command_.parse(std::move(words));
  }
  TrainOptions options() {
    if (options_.is_text()) return options_.text(command_);
    return translation();
  }
  TranslationTrainOptions translation() { return options_.translation(command_); }

 private:
  CLI::App command_{"", "train"};
  TrainCommandOptions options_{command_};
};

std::vector<std::string> with_pairs(std::vector<std::string> more) {
  more.insert(more.end(), {"--src", "a", "--tgt", "b", "--valid-src", "c", "--valid-tgt", "d"});
  return more;
}

std::vector<std::string> with_text(std::vector<std::string> more) {
  more.insert(more.end(), {"--text", "a"});
  return more;
}

}  // namespace

TEST_CASE("train options: a preset brings its recipe") {
  struct Expected {
    std::vector<std::string> words;
    ScheduleKind schedule;
    double lr, warmup, beta2, epsilon, weight_decay, clip_norm, label_smoothing;
    std::int64_t batch_tokens, accumulate, validate_every, steps;
  };
  for (const Expected& recipe :
       std::vector<Expected>{// Wu et al. 2021
                             {with_pairs({}), ScheduleKind::inverse_sqrt, 5e-3, 2000, 0.98, 1e-8, 0,
                              0, 0.1, 4096, 1, 0, 20000},
                             // Vaswani et al. 2017
                             {with_pairs({"--preset", "base"}), ScheduleKind::noam, 1, 4000, 0.98,
                              1e-9, 0, 0, 0.1, 4096, 1, 0, 100000},
                             {with_pairs({"--preset", "big"}), ScheduleKind::noam, 1, 4000, 0.98,
                              1e-9, 0, 0, 0.1, 4096, 1, 0, 300000},
                             // nanoGPT
                             {with_text({}), ScheduleKind::cosine, 3e-3, 100, 0.99, 1e-8, 0.1, 1, 0,
                              768, 1, 250, 2000},
                             {with_text({"--preset", "char"}), ScheduleKind::cosine, 1e-3, 100,
                              0.99, 1e-8, 0.1, 1, 0, 16384, 1, 250, 5000},
                             {with_text({"--preset", "gpt2"}), ScheduleKind::cosine, 6e-4, 2000,
                              0.95, 1e-8, 0.1, 1, 0, 12288, 40, 1000, 600000}}) {
    CAPTURE(recipe.words);
    const TrainOptions options = ParsedTrain(recipe.words).options();
    CHECK(options.schedule.kind == recipe.schedule);
    CHECK(options.schedule.lr == recipe.lr);
    CHECK(options.schedule.warmup == recipe.warmup);
    CHECK(options.optimizer.beta1 == 0.9);
    CHECK(options.optimizer.beta2 == recipe.beta2);
    CHECK(options.optimizer.epsilon == recipe.epsilon);
    CHECK(options.optimizer.weight_decay == recipe.weight_decay);
    CHECK(options.clip_norm == recipe.clip_norm);
    CHECK(options.label_smoothing == recipe.label_smoothing);
    CHECK(options.batch_tokens == recipe.batch_tokens);
    CHECK(options.accumulate == recipe.accumulate);
    CHECK(options.validate_every == recipe.validate_every);
    CHECK(options.steps == recipe.steps);
  }
}

TEST_CASE("train options: what is given overrides the preset, wherever it stands") {
  const TrainOptions options =
      ParsedTrain(with_pairs({"--beta2", "0.9", "--preset", "base", "--label-smoothing", "0.2"}))
          .options();
  CHECK(options.optimizer.beta2 == 0.9);
  CHECK(options.label_smoothing == 0.2);
  CHECK(options.schedule.warmup == 4000);
  CHECK(ParsedTrain(with_pairs({"--minutes", "3"})).options().steps == 0);
}

TEST_CASE("train options: another schedule rises to the peak of the preset") {
  const auto lr = [](const std::vector<std::string>& words) {
    return ParsedTrain(with_pairs(words)).options().schedule.lr;
  };
  const double peak = 1 / std::sqrt(512.0 * 4000);  // of base, by noam's factor of 1
  CHECK(lr({"--schedule", "cosine", "--preset", "base"}) == doctest::Approx(peak));
  CHECK(lr({"--schedule", "noam", "--preset", "base"}) == doctest::Approx(1));
  CHECK(lr({"--schedule", "noam"}) == doctest::Approx(0.005 * std::sqrt(128.0 * 2000)));
  CHECK(lr({"--lr", "0.3", "--schedule", "noam"}) == 0.3);
  // Whatever the warm-up, and of which width.
  ScheduleOptions own =
      ParsedTrain(with_pairs({"--warmup", "500", "--schedule", "noam"})).options().schedule;
  own.width = 128;  // of the preset, as training sets it
  CHECK(learning_rate(own, 500) == doctest::Approx(0.005));
  CHECK(lr({"--schedule", "noam", "--width", "64", "--warmup", "500"}) ==
        doctest::Approx(0.005 * std::sqrt(64.0 * 500)));
  CHECK(lr({"--schedule", "cosine", "--preset", "base", "--warmup", "500"}) ==
        doctest::Approx(peak));
  CHECK(lr({"--schedule", "noam", "--preset", "base", "--warmup", "500"}) == doctest::Approx(1));
  ScheduleOptions noam;
  noam.width = 128;
  noam.warmup = 50;
  CHECK(learning_rate(with_kind(noam, ScheduleKind::constant), 50) ==
        doctest::Approx(learning_rate(noam, 50)));
}

TEST_CASE("train options: an optimiser has its own settings, and refuses those of others") {
  const TrainOptions plain = ParsedTrain(with_text({})).options();
  CHECK(plain.optimizer.kind == OptimizerKind::adam);
  CHECK(contains(plain.configuration, "optimizer = \"adam\""));
  CHECK(contains(plain.configuration, "epsilon = 1e-08"));
  const TrainOptions lion = ParsedTrain(with_text({"--optimizer", "lion"})).options();
  CHECK(lion.optimizer.kind == OptimizerKind::lion);
  CHECK(lion.optimizer.beta1 == 0.9);
  CHECK(lion.optimizer.beta2 == 0.99);
  CHECK(lion.schedule.lr == doctest::Approx(plain.schedule.lr / 10).scale(0));
  CHECK(lion.optimizer.weight_decay == doctest::Approx(10 * plain.optimizer.weight_decay));
  CHECK(lion.clip_norm == plain.clip_norm);
  CHECK(contains(lion.configuration, "optimizer = \"lion\""));
  CHECK_FALSE(contains(lion.configuration, "\nepsilon"));
  // What is given counts, wherever it stands.
  const TrainOptions given =
      ParsedTrain(with_text({"--lr", "0.002", "--beta2", "0.95", "--weight-decay", "0.3",
                             "--optimizer", "lion", "--preset", "char"}))
          .options();
  CHECK(given.schedule.lr == 0.002);
  CHECK(given.optimizer.beta2 == 0.95);
  CHECK(given.optimizer.weight_decay == 0.3);
  CHECK(ParsedTrain(with_pairs({"--schedule", "noam", "--optimizer", "lion"}))
            .options()
            .schedule.lr == doctest::Approx(0.0005 * std::sqrt(128.0 * 2000)));
  CHECK_THROWS_WITH(
      ParsedTrain(with_text({"--optimizer", "lion", "--epsilon", "1e-6"})).options(),
      "--epsilon: expected none beside --optimizer lion, which has no such setting, given one "
      "(leave it out)");
  CHECK_THROWS_WITH(ParsedTrain(with_text({"--optimizer", "lino"})),
                    "--optimizer: expected adam|lion, given lino (did you mean lion?)");
}

TEST_CASE("train options: as many checkpoints are kept as are averaged") {
  const auto kept = [](const std::vector<std::string>& words) {
    const TrainOptions options = ParsedTrain(with_pairs(words)).options();
    options.check();
    return options.kept_checkpoints();
  };
  CHECK(kept({}) == 5);
  CHECK(kept({"--average", "3"}) == 5);
  CHECK(kept({"--average", "8"}) == 8);
  CHECK(kept({"--keep", "2"}) == 2);
  CHECK_THROWS_WITH_AS(kept({"--average", "3", "--keep", "2"}),
                       "--average: expected at most the number of checkpoints kept, 2, given 3",
                       Error);
}

TEST_CASE("train options: consistency training and a moving average") {
  const TrainOptions options =
      ParsedTrain(with_pairs({"--consistency", "simcut", "--cutoff", "0.1", "--ema", "0.999"}))
          .options();
  CHECK(options.consistency.kind == ConsistencyKind::simcut);
  CHECK(options.consistency.cutoff == 0.1);
  CHECK(options.ema == 0.999);
  options.check();
  CHECK(ParsedTrain(with_pairs({})).options().ema == 0);
  CHECK_THROWS_WITH(
      ParsedTrain(with_pairs({"--consistency", "simcat"})),
      "--consistency: expected none|r_drop|simcut, given simcat (did you mean simcut?)");
  CHECK_THROWS_WITH(ParsedTrain(with_pairs({"--ema", "1"})),
                    "--ema: expected a number above 0 to below 1, given 1");
}

TEST_CASE("train options: several texts, how often each is drawn, and their languages") {
  const std::vector<std::string> two = {"--src", "a",           "b", "--tgt",       "c",
                                        "d",     "--valid-src", "e", "--valid-tgt", "f"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = two;
    words.insert(words.end(), more.begin(), more.end());
    return ParsedTrain(words).translation();
  };
  const TranslationTrainOptions options =
      with({"--weights", "1", "2.5", "--languages", "de", "fr"});
  REQUIRE(options.texts.size() == 2);
  CHECK(options.texts[0].source == "a");
  CHECK(options.texts[1].target == "d");
  CHECK(options.texts[1].language == "fr");
  CHECK(options.weights == std::vector<double>{1, 2.5});
  CHECK(with({"--temperature", "5"}).temperature == 5);
  CHECK(with({"--both-directions"}).both_directions);
  CHECK_THROWS_WITH(with({"--weights", "1"}), "--weights: expected one for each --src, 2, given 1");
  CHECK_THROWS_WITH(with({"--weights", "1", "0"}), "--weights: expected a number above 0, given 0");
  CHECK(with({"--stages", "1 0 until 60%", "1 4"}).stages[0].until == 60);
  CHECK(with({"--stages", "1 0 until 60%", "--stages", "1 4"}).stages[1].weights[1] == 4);
  CHECK(with({}).stages.empty());
  CHECK_THROWS_WITH(with({"--stages", "1 0 until 60%", "4"}),
                    "--stages \"4\": expected one for each --src, 2, given 1");
  CHECK_THROWS_WITH(
      with({"--stages", "1 0 until 60", "1 4"}),
      "--stages: expected an end such as 60%, 20000 steps, 3 epochs or 90 minutes, given 60");
  CHECK_THROWS_WITH(with({"--stages", "1 4", "--weights", "1", "4"}),
                    "--stages: expected stages, --weights or --temperature, given two of them");
  CHECK_THROWS_WITH(ParsedTrain(with_text({"--stages", "1 4"})).options(),
                    "--stages \"1 4\": expected one for each --text, 1, given 2");
  CHECK_THROWS_WITH(with({"--languages", "de"}),
                    "--languages: expected one for each --src, 2, given 1");
  CHECK_THROWS_WITH(
      ParsedTrain({"--src", "a", "b", "--tgt", "c", "--valid-src", "e", "--valid-tgt", "f"})
          .translation(),
      "--tgt: expected one for each --src, 2, given 1");
}

TEST_CASE("train options: what the best model goes by") {
  CHECK(ParsedTrain(with_pairs({})).options().best_by == "loss");
  CHECK(ParsedTrain(with_pairs({})).translation().scored_by() == "bleu");
  TranslationTrainOptions options = ParsedTrain(with_pairs({"--best-by", "ter"})).translation();
  CHECK(options.best_by == "ter");
  CHECK(options.scored_by() == "ter");
  const auto refused = [](const std::vector<std::string>& words, const char* message) {
    CHECK_THROWS_WITH_AS(ParsedTrain(words).options(), message, UsageError);
  };
  refused(with_pairs({"--best-by", "ter", "--no-validate-bleu"}),
          "--best-by: expected loss with --no-validate-bleu, given ter");
  refused(with_pairs({"--best-by", "ter", "--bleu-tokenize", "zh"}),
          "--bleu-tokenize: expected BLEU to score by, given --best-by ter");
  refused(with_text({"--best-by", "bleu"}),
          "--best-by: expected loss with --text, which has no score, given bleu");
  refused(with_text({"--best-by", "bleu", "--objective", "masked"}),
          "--best-by: expected loss or score with --text, which is not translated, given bleu");
  refused({"--trees", "a", "--valid-trees", "b", "--best-by", "bleu"},
          "--best-by: expected loss or score with --trees, whose score is F1, given bleu");
}
