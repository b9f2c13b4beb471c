#include "cli/synonyms.h"

#include <algorithm>

#include "tensor/suggestion.h"

namespace kette::cli {

const std::vector<Synonyms>& all_synonyms() {
  static const std::vector<Synonyms> all = {
      {"--src", "source source-file train-src train-source train-source-file src-train src-file"},
      {"--tgt", "target target-file train-tgt train-target train-target-file tgt-train tgt-file"},
      {"--valid-src",
       "valid-source validation-source dev-src dev-source src-valid src-val val-src"},
      {"--valid-tgt",
       "valid-target validation-target dev-tgt dev-target tgt-valid tgt-val val-tgt"},
      {"--text", "train-file train-text corpus data dataset train-data"},
      {"--valid-text", "valid-file validation-file dev-text eval-text"},
      {"--ref", "reference references refs"},
      {"--input", "in input-file infile"},
      {"--output", "output-file outfile"},
      {"--out", "output output-dir output-file save-dir save model-dir save-path"},
      {"--model", "model-path model-dir checkpoint-dir model-name-or-path"},
      {"--from", "init-from pretrained pretrained-model train-from restore finetune-from"},
      {"--to", "tgt-lang target-lang target-language"},
      {"--lr", "learning-rate learn-rate peak-lr"},
      {"--steps", "max-steps train-steps num-steps max-iters iterations max-update total-steps"},
      {"--epochs", "num-epochs max-epochs num-train-epochs after-epochs"},
      {"--minutes", "time max-time max-minutes"},
      {"--batch-tokens", "batch-size batch max-tokens mini-batch per-device-train-batch-size"},
      {"--accumulate", "gradient-accumulation-steps grad-accum accum-count update-freq"},
      {"--warmup", "warmup-steps warmup-updates lr-warmup num-warmup-steps"},
      {"--schedule", "lr-scheduler lr-scheduler-type scheduler decay-method lr-decay-style"},
      {"--clip-norm", "max-grad-norm grad-clip clip gradient-clipping clip-grad-norm"},
      {"--weight-decay", "wd l2"},
      {"--epsilon", "eps"},
      {"--optimizer", "optim optimiser"},
      {"--label-smoothing", "label-smoothing-factor"},
      {"--dropout", "dropout-rate resid-dropout hidden-dropout"},
      {"--attention-dropout", "attn-dropout attention-probs-dropout"},
      {"--seed", "random-seed manual-seed rng-seed"},
      {"--patience", "early-stopping early-stopping-patience"},
      {"--validate-every", "eval-steps eval-interval eval-every valid-freq valid-steps"},
      {"--save-every-seconds", "save-steps save-interval save-freq"},
      {"--resume", "resume-from-checkpoint continue restart"},
      {"--vocab", "vocab-size vocabulary vocabulary-size dim-vocabs n-vocab"},
      {"--encoder-layers", "enc-layers enc-depth num-encoder-layers"},
      {"--decoder-layers", "dec-layers dec-depth num-decoder-layers"},
      {"--layers", "num-layers n-layer n-layers num-hidden-layers depth"},
      {"--width", "d-model hidden-size dim-emb n-embd embed-dim rnn-size"},
      {"--hidden", "d-ff ffn-dim feed-forward-size intermediate-size dim-feedforward"},
      {"--heads", "num-heads n-head n-heads num-attention-heads transformer-heads"},
      {"--kv-heads", "num-kv-heads num-key-value-heads"},
      {"--context", "block-size context-length seq-len sequence-length ctx n-ctx"},
      {"--activation", "activation-function activation-fn"},
      {"--beam", "beam-size num-beams beam-width beams"},
      {"--n-best", "nbest num-return-sequences num-hypotheses"},
      {"--num", "num-samples num-return-sequences n"},
      {"--max-tokens", "max-new-tokens n-predict length max-length"},
      {"--max-length", "max-decode-length max-decoding-length max-len max-seq-len"},
      {"--min-length", "min-decoding-length min-len"},
      {"--length-penalty", "lenpen alpha normalize"},
      {"--sample", "do-sample sampling random-sampling"},
      {"--temperature", "temp sampling-temperature"},
      {"--top-k", "topk sampling-topk"},
      {"--top-p", "topp nucleus sampling-topp"},
      {"--metric", "metrics score"},
      {"--tokenize", "tok"},
      {"--lowercase", "lc lower uncased"},
      {"--confidence", "bootstrap"},
      {"--threads", "num-threads num-workers cpu-threads n-threads jobs"},
      {"--device cuda", "gpu gpus use-gpu use-cuda cuda"},
      {"--device cpu", "cpu no-cuda no-gpu"},
      {"--precision bf16", "fp16 bf16 amp half mixed-precision float16 bfloat16"},
      {"--weights int8", "int8 load-in-8bit compute-type"},
      {"--json", "format-json output-json"},
      {"--quiet", "silent no-progress"},
  };
  return all;
}

std::string meant_option(const std::string& name, const std::vector<std::string>& known) {
  const auto is_known = [&](const std::string& option) {
    return std::find(known.begin(), known.end(), option) != known.end();
  };
  std::string dashed = name;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  if (is_known(dashed)) return dashed;
  const std::string wanted = " " + dashed.substr(std::min(dashed.size(), std::size_t{2})) + " ";
  for (const auto& [option, names] : all_synonyms()) {
    const std::string text = option;
    const bool is_meant = (" " + std::string(names) + " ").find(wanted) != std::string::npos;
    if (is_meant && is_known(text.substr(0, text.find(' ')))) return text;
  }
  return nearest(dashed, known);
}

}  // namespace kette::cli
