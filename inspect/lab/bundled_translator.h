// Trains a small translator on the bundled corpus, for experiments: a minute on two cores.
#pragma once

#include <functional>
#include <memory>

#include "data/bundled/corpus.h"
#include "data/corpora/parallel_corpus.h"
#include "inspect/lab/experiment.h"
#include "models/transformer.h"

namespace kette {

struct TranslatorSizes {
  NormOrder norm = NormOrder::pre;
  std::int64_t layers = 4, heads = 4, width = 128, hidden = 256, vocabulary = 2500;
  double dropout = 0;  ///< also of attention
  std::int64_t steps = 900, warmup = 150, batch_tokens = 1024;
  double lr = 3e-3;  ///< the peak; falls to a tenth by half a cosine
};

/// The bundled corpus. quick: a small part, enough to see that a program works.
const bundled::Corpus& bundled_corpus(bool quick);

std::vector<std::string> english_of(const std::vector<bundled::SentencePair>& pairs);
std::vector<std::string> german_of(const std::vector<bundled::SentencePair>& pairs);

/// The training sentences as ids of a new tokenizer with `vocabulary` pieces, or of the one given.
ParallelCorpus bundled_tokens(const bundled::Corpus& corpus, std::int64_t vocabulary);
ParallelCorpus bundled_tokens(const bundled::Corpus& corpus, const SharedTokenizer& tokenizer);

/// progress: gets the loss and the share of the training that is done.
std::unique_ptr<Transformer> train_translator(
    const ParallelCorpus& text, const TranslatorSizes& sizes, std::uint64_t seed, Device device,
    const std::function<void(double loss, double share)>& progress);

}  // namespace kette
