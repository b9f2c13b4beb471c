// BLEU, chrF and TER of any text: scores from 0 to 100, TER from 0 on, and the best for a text beside itself.
#include "data/files/text_file.h"
#include "data/metrics/bleu.h"
#include "data/metrics/chrf.h"
#include "data/metrics/ter.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

/// The first byte chooses among the settings.
std::vector<std::string> seeds() {
  return {joined({std::string("\0the cat sat , on 3.5 mats\nwell", 31),
                  "the cat sat on a mat\nwell then"}),
          joined({"\x1Bvier &amp; f\xC3\xBCnf", "vier & f\xC3\xBCnf"})};
}

bool is_score(double score) { return score >= 0 && score <= 100 + 1e-9; }

ScoreLines views(const TextLines& lines) { return {lines.views().begin(), lines.views().end()}; }

void read(std::string_view input) {
  if (input.empty()) return;
  const auto files = parts(input.substr(1), 2);
  const TextLines hypothesis(std::string(files[0]), "hypothesis"),
      reference(std::string(files[1]), "reference");
  const auto choice = static_cast<unsigned char>(input[0]);
  BleuOptions bleu;
  bleu.lowercase = choice & 1;
  bleu.tokenizer =
      (choice & 0x46) == 0x46 ? ScoreTokenizer::zh : static_cast<ScoreTokenizer>(choice >> 1 & 3);
  bleu.smoothing = static_cast<BleuSmoothing>(choice >> 3 & 3);
  bleu.effective_order = choice >> 5 & 1;
  ChrfOptions chrf;
  chrf.lowercase = bleu.lowercase;
  chrf.word_order = choice >> 5 & 2;
  chrf.whitespace = choice >> 7;
  const BleuScore bleu_score = corpus_bleu(views(hypothesis), {views(reference)}, bleu, {20});
  expect(is_score(bleu_score.score) || bleu.smoothing == BleuSmoothing::add_k, "a BLEU score");
  bleu_score.format(2, true);
  expect(is_score(corpus_chrf(views(hypothesis), {views(reference)}, chrf).score), "a chrF score");
  const BleuScore itself = corpus_bleu(views(hypothesis), {views(hypothesis)}, bleu);
  expect(itself.counts[3] == 0 || itself.score > 100 - 1e-6, "100 for a text beside itself");
  const TerOptions ter{(choice & 2) != 0, (choice & 4) != 0, (choice & 8) != 0, !bleu.lowercase};
  expect(corpus_ter(views(hypothesis), {views(reference)}, ter).score >= 0, "a TER score");
  expect(corpus_ter(views(hypothesis), {views(hypothesis)}, ter).score == 0,
         "no edits of a text beside itself");
}

}  // namespace

const Target scores = {"scores", seeds, read};

}  // namespace kette::fuzz
