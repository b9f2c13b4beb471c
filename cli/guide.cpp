#include "cli/guide.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

constexpr const char* kUsualStatus =
    "0: it is done. 1: an error. 2: a command line that makes no sense.";

struct Guide {
  const char *command, *examples, *basic = "";  ///< basic: see basic_options_of()
  const char* exit_status = kUsualStatus;
};

constexpr std::array kGuides = {
    Guide{"train",
          "kette train --src train.en --tgt train.de --valid-src valid.en --valid-tgt valid.de "
          "--out my-model --minutes 30\n"
          "kette train --text input.txt --out my-gpt",
          "--src --tgt --valid-src --valid-tgt --text --trees --objective --out --from"
          " --preset --device --precision --vocab --minutes --epochs --steps"
          " --lr --resume --page --threads",
          "0: it is done. 1: an error. 2: a command line that makes no sense. 128 + N: signal N "
          "ended it (130: SIGINT, 143: SIGTERM), its state is saved, and --resume goes on."},
    Guide{"check",
          "kette check --src train.en --tgt train.de --valid-src valid.en --valid-tgt valid.de "
          "--page check.html",
          "",
          "0: it is done. 1: an error, or warnings with --fail-on warnings. 2: a command line that "
          "makes no sense."},
    Guide{"tokenize",
          "kette tokenize --text input.txt --out shards/\n"
          "kette tokenize --src train.en --tgt train.de --out pairs/",
          "--text --src --tgt --tokenizer --out --documents --vocab --append --filter"
          " --quiet"},
    Guide{"split", "kette split --language en --input input.txt --output sentences.txt"},
    Guide{"translate",
          "kette translate \"Good morning.\"\n"
          "kette translate --model my-model --input page.html --output seite.html",
          "--model --input --output --format --report --split --beam --n-best --to"
          " --device --weights --threads --json",
          "0: it is done. 1: an error, or lines that were not translated, while all others were. "
          "2: a command line that makes no sense."},
    Guide{"generate", "kette generate --model my-gpt --prompt \"ROMEO:\" --temperature 0.8",
          "--model --prompt --prompt-file --max-tokens --num --temperature --top-k --top-p"
          " --seed --beam --device --weights"},
    Guide{"serve",
          "kette serve --model en-de=my-model --model gpt=my-gpt\n"
          "kette serve --check http://127.0.0.1:5000",
          "--model --device --weights --host --port --api-keys --open --log --check"
          " --threads",
          "0: it was told to end, or with --check the server is ready. 1: an error, or with "
          "--check a server that is not. 2: a command line that makes no sense."},
    Guide{"fill", "kette fill --model my-bert \"A dog [MASK] over the meadow.\""},
    Guide{"evaluate",
          "kette evaluate --model my-model --src test.en --ref test.de\n"
          "kette evaluate --model my-gpt --text other.txt",
          "--model --src --ref --against --output --text --metric --tokenize --lowercase"
          " --confidence --beam --device --out --json"},
    Guide{"bleu", "kette bleu --ref test.de --input translated.de --confidence",
          "--ref --input --against --sentence-level --metric --tokenize --lowercase"
          " --confidence --out --json"},
    Guide{"score", "kette score --model my-model --src test.en --tgt test.de"},
    Guide{"parse", "kette parse --model my-parser --input sentences.txt --output parsed.mrg",
          "--model --input --output --gold --beam --device --threads"},
    Guide{"parse-score", "kette parse-score --gold test.mrg --test parsed.mrg"},
    Guide{"average", "kette average --model my-model --last 5 --out average.safetensors"},
    Guide{"merge", "kette merge --model my-adapters --out merged"},
    Guide{"quantize", "kette quantize --model my-model --out small"},
    Guide{"lexicon", "kette lexicon --model my-model --src train.en --tgt train.de"},
    Guide{"import", "kette import --from opus-mt-en-de --out imported"},
    Guide{"export", "kette export --model my-model --out for-transformers"},
    Guide{"explain",
          "kette explain --model my-model \"A man sleeps.\" --out explain.html\n"
          "kette explain --model my-gpt --text \"ROMEO:\""},
    Guide{"plot", "kette plot my-model my-gpt --out plot.html"},
    Guide{"sweep", "kette sweep runs.toml --out runs --jobs 2", "",
          "0: all runs are done. 1: an error, or runs without a result. 2: a command line that "
          "makes no sense. 128 + N: signal N ended it (130: SIGINT, 143: SIGTERM), and the same "
          "command goes on."},
    Guide{"compare", "kette compare my-model other-model \"A man sleeps.\"", "",
          "0: the models are equal. 1: they part. 2: that cannot be told, or a command line that "
          "makes no sense."},
    Guide{"heads", "kette heads --model my-model --src test.en --tgt test.de --out heads.html",
          "--model --src --tgt --text --out --prune --save --beam --device"},
    Guide{"patch", "kette patch --model my-model --contrast number --out patch.html"},
    Guide{"lab",
          "kette lab --list\n"
          "kette lab superposition --quick",
          "",
          "0: every claim holds, or --quick did not judge them. 1: an error, or a claim that does "
          "not hold. 2: a command line that makes no sense."},
    Guide{"gradcheck",
          "kette gradcheck softmax matmul\n"
          "kette gradcheck --model transformer",
          "",
          "0: every check has passed. 1: an error, or a gradient that is wrong. 2: a command line "
          "that makes no sense."},
    Guide{"info",
          "kette info\n"
          "kette info --preset base",
          "--preset --model --points --out --json"},
    Guide{"trace", "kette trace --preset tiny --out trace.html",
          "--preset --model --device --precision --tokens --decode --out --perfetto --rows"
          " --threads"},
    Guide{"tape", "kette tape --preset tiny --out tape.html",
          "--preset --model --device --tokens --depth --nodes --node --step --check --out",
          "0: it is done. 1: an error, or with --check a gradient that is wrong. 2: a command line "
          "that makes no sense."},
    Guide{"bench train", "kette bench train --preset tiny",
          "--preset --device --precision --src --tgt --tokens --steps --warmup --threads"
          " --json"},
    Guide{"bench translate", "kette bench translate --preset tiny --weights int8"},
    Guide{"bench generate", "kette bench generate --preset gpt2 --weights bf16",
          "--preset --device --weights --cache --prompt --tokens --num --runs --threads"
          " --json"},
    Guide{"bench tokenize", "kette bench tokenize --text input.txt --tokenizer my-model"},
    Guide{"bench corpus", "kette bench corpus --src train.en --tgt train.de --tokenizer my-model"},
    Guide{"bench ops", "kette bench ops --preset base"},
    Guide{"bench products", "kette bench products --preset base",
          "--preset --tokens --runs --threads --json"},
    Guide{"bench exchange", "mpirun -n 2 kette bench exchange"},
    Guide{"help",
          "kette help train\n"
          "kette help bench train --all"},
    Guide{"version", "kette version"},
    Guide{"man",
          "kette man train | man -l -\n"
          "kette man --out ~/.local/share/man/man1"},
    Guide{"completion",
          "source <(kette completion bash)\n"
          "kette completion fish > ~/.config/fish/completions/kette.fish"},
};

const Guide* guide_of(const std::vector<std::string>& words) {
  const std::string command = joined(words, " ");
  const auto* const found = std::find_if(kGuides.begin(), kGuides.end(),
                                         [&](const Guide& one) { return command == one.command; });
  return found == kGuides.end() ? nullptr : found;
}

}  // namespace

std::string basic_options_of(const std::vector<std::string>& words) {
  const Guide* guide = guide_of(words);
  return guide == nullptr ? "" : guide->basic;
}

std::string exit_status_of(const std::vector<std::string>& words) {
  const Guide* guide = guide_of(words);
  return guide == nullptr ? kUsualStatus : guide->exit_status;
}

std::vector<std::string> examples_of(const std::vector<std::string>& words) {
  const Guide* guide = guide_of(words);
  std::vector<std::string> lines;
  if (guide == nullptr) return lines;
  std::istringstream all(guide->examples);
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

}  // namespace kette::cli
