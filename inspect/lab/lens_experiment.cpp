#include <cmath>

#include "data/files/text_file.h"
#include "data/metrics/bleu.h"
#include "decode/translator.h"
#include "inspect/heads/head_study.h"
#include "inspect/lab/experiments.h"
#include "inspect/page/html.h"
#include "inspect/passes/logit_lens.h"
#include "models/model_directory.h"

namespace kette {
namespace {

/// Over all target tokens of a corpus.
struct DecoderLevels {
  LensMeans means;
  double exact = 0;  ///< agreement_with() the model's own logits, of the last level
};

DecoderLevels decoder_levels(const AutoregressiveModel& model, const std::vector<Batch>& batches) {
  DecoderLevels levels;
  double rows = 0;
  for (const Batch& batch : batches) {
    Activations activations(
        [&](const std::string& point) { return is_for_logit_lens(model, point); });
    Run run(&activations);
    const auto answers = softmax_rows(model.logits(batch, run).value());
    const auto lens = logit_lens(model, activations, 1);
    levels.means.add(lens, batch.target_out);
    const auto of_batch = static_cast<double>(answers.size());
    levels.exact += of_batch * agreement_with(answers, lens.back());
    rows += of_batch;
  }
  levels.exact /= rows;
  return levels;
}

bool rises(const std::vector<double>& values, double tolerance) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] < values[i - 1] - tolerance) return false;
  }
  return true;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  const TextLines lines = read_lines(file);
  return {lines.views().begin(), lines.views().end()};
}

}  // namespace

ExperimentReport lens_experiment(const ExperimentOptions& options,
                                 const ExperimentProgress& progress, Page& page) {
  KETTE_CHECK(!options.model.empty() && !options.source.empty() && !options.target.empty(),
              "lab lens: expected --model, --src and --tgt, given fewer");
  const auto saved = load_model<AutoregressiveModel>(options.model, {}, options.device);
  KETTE_CHECK(saved.model->has_encoder() && saved.tokenizer->writes() == Writes::text,
              "lab lens: expected a translation model, given ", options.model.string());
  const std::vector<std::string> sources = lines_of(options.source),
                                 targets = lines_of(options.target);
  KETTE_CHECK(sources.size() == targets.size(), options.target.string(), ": expected ",
              sources.size(), " lines, given ", targets.size());
  progress("the decoder's levels", 0);
  const DecoderLevels levels = decoder_levels(
      *saved.model, sentence_batches(*saved.tokenizer, sources, targets, 1024, options.language));
  const std::vector<double> divergence = levels.means.divergence(),
                            agreement = levels.means.agreement(),
                            accuracy = levels.means.accuracy();

  const auto count = std::ssize(saved.model->encoder());
  const Translator translator(*saved.model, saved.tokenizer);
  const ScoreLines references(targets.begin(), targets.end());
  const auto bleu = [&](Tap* tap) {
    const std::vector<Translation> found =
        translator.translate(source_sentences(sources, options.language), {}, {.tap = tap});
    ScoreLines hypotheses;
    for (const Translation& translation : found) hypotheses.emplace_back(translation.text);
    return corpus_bleu(hypotheses, {references}).score;
  };
  std::vector<double> encoder;
  for (std::int64_t level = 0; level <= count; ++level) {
    progress("translations from encoder level " + std::to_string(level),
             static_cast<double>(level + 1) / static_cast<double>(count + 2));
    EncoderExit exit(*saved.model, level);
    encoder.push_back(bleu(&exit));
  }
  const double whole = bleu(nullptr);

  ExperimentReport report;
  const std::vector<double> fall(divergence.rbegin(), divergence.rend());
  report.findings = {{"KL to the last level falls from level to level", "falls",
                      fixed(divergence, 3), rises(fall, 0.02)},
                     {"the last level agrees with the model exactly", "1", fixed(levels.exact, 4),
                      levels.exact == 1},
                     {"the likeliest word is the last level's more and more often", "rises",
                      fixed(agreement, 3), rises(agreement, 0.01)},
                     {"BLEU of the translation from encoder level k rises with k", "rises",
                      fixed(encoder, 2), rises(encoder, 0.5)},
                     {"and is the model's own at the last, exactly", fixed(whole, 4),
                      fixed(encoder.back(), 4), encoder.back() == whole}};
  report.numbers = Report::of_facts({{"divergence", divergence},
                                     {"agreement", agreement},
                                     {"exact", levels.exact},
                                     {"accuracy", accuracy},
                                     {"encoder_bleu", encoder},
                                     {"bleu", whole}});
  const auto curve = [](const std::string& name, const std::vector<double>& y,
                        CurveKind kind = CurveKind::line) {
    Curve result{name, {}, y, kind};
    for (std::size_t i = 0; i < y.size(); ++i) result.x.push_back(static_cast<double>(i));
    return result;
  };
  report.sections = {
      {"Decoder", page.chart({"Logit lens",
                              "blocks of the decoder",
                              "share of target words",
                              {curve("agrees with the last level", agreement),
                               curve("is the reference's word", accuracy, CurveKind::marked)}}) +
                      page.chart({"KL to the last level",
                                  "blocks of the decoder",
                                  "nats",
                                  {curve("KL", divergence)}})},
      {"Encoder",
       page.chart({"DecoderLens", "blocks of the encoder", "BLEU", {curve("BLEU", encoder)}})}};
  return report;
}

}  // namespace kette
