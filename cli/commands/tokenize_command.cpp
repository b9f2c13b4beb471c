// `kette tokenize`: turns text files into one file of ids or a folder of shards, to train a language model; or parallel
// text into a folder of pairs, for a translation model.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/show.h"
#include "cli/tokenizer_option.h"
#include "cli/tokenizing.h"

namespace kette::cli {
namespace {

void add_tokenize_options(CLI::App& command) {
  auto options = std::make_shared<TokenizeCommandOptions>();
  OptionGroup group(command, "Text");
  const Option texts = group.list("--text", options->files,
                                  "Text files (plain, gzip, xz or zstd), one after the other");
  const Option tokenizer = group.text(
      "--tokenizer", options->tokenizer,
      std::string(kTokenizerHelp) +
          "; for pairs a SentencePiece model or a folder with one (default: see --vocab)",
      "NAME");
  group
      .path(
          "--out", options->out,
          "The folder of shards to make; or, of --text, the file of ids (safetensors), unless this is a folder or ends in /, or an option below asks for one")
      .writes()
      .required();
  Option documents = group.choice(
      "--documents", options->tokens.documents,
      "What ends in an end of text: each file, each line, the lines between blank ones, or what stands between two <|endoftext|>");
  group.flag("--quiet", options->quiet, "No progress line");
  OptionGroup folder(command, "A folder of shards, which goes on where it was ended");
  const Option append =
      folder.flag("--append", options->shards.appends, "To the texts that --out has");
  Option vocabulary =
      folder.number("--vocab", options->vocabulary, at_least(1),
                    "Pieces of a SentencePiece model that is made of the texts and kept there");
  vocabulary.excludes(tokenizer);
  Option mask = folder.flag("--mask-piece", options->has_mask,
                            "With a piece for masked words, for kette train --objective masked");
  mask.excludes(tokenizer);
  Option shard_bytes =
      folder.number("--shard-bytes", options->tokens.bytes_a_shard, at_least(1),
                    "Of the text of a shard, which a kill may cost; more until its document ends");
  Option filter = folder.list(
      "--filter", options->filters,
      "Leave odd pairs, or documents, out, by the names of the findings that kette check --list has",
      "NAME");
  OptionGroup pairs(command, "Sentence pairs, for kette train --pairs DIR");
  FilterOptions& filters = options->pairs.filters;
  const Option source =
      pairs.list("--src", options->sources, "Sentences, one a line; plain, gzip, xz or zstd");
  for (Option option :
       {source, pairs.list("--tgt", options->targets, "Their translations, line by line"),
        pairs.list("--languages", options->languages,
                   "The language of each --tgt: its tag leads each source", "NAME"),
        pairs.number("--max-length", filters.max_length, at_least(1),
                     "Leave longer sentences out, in tokens"),
        pairs.number("--max-ratio", filters.max_ratio, above(0),
                     "Leave more unequal pairs out (default: none)"),
        pairs.list("--test-src", options->test_sources,
                   "Source sentences of test sets, which --filter overlap-normalised takes out"),
        pairs.list("--test-tgt", options->test_targets, "Their translations"),
        pairs.number("--join-lines", filters.join_lines, at_least(1),
                     "Join 1, 2, ... and N lines in turn, as kette train does, anew in each shard"),
        pairs.number("--shard-lines", options->pairs.lines_a_shard, at_least(1),
                     "Of a text that one shard has, which a kill may cost")}) {
    option.excludes(texts);
  }
  for (Option option : options->tsv.add(pairs)) {
    option.excludes(texts);
    for (Option other : {documents, mask, shard_bytes}) other.excludes(option);
  }
  for (Option option : {documents, mask, shard_bytes}) option.excludes(source);
  add_common_options(command, options->common);
  when_read(command, [=] {
    TokenizeCommandOptions& o = *options;
    o.is_vocabulary_given = vocabulary.given();
    o.makes_folder = !o.out.has_filename() || std::filesystem::is_directory(o.out) ||
                     append.given() || vocabulary.given() || mask.given() || shard_bytes.given() ||
                     filter.given();
    if (!o.files.empty()) {
      if (o.tokenizer.empty() && !o.makes_folder) {
        throw UsageError(
            "--tokenizer is required with --text (or --vocab, which makes a folder with a vocabulary of its own)");
      }
      as_usage_of("", [&] { DocumentFilter(o.odd()); });
      return;
    }
    o.makes_folder = true;
    if (options->sources.empty() && options->targets.empty() && options->tsv.files().empty()) {
      throw UsageError("expected --text, or --src and --tgt, or --tsv, given none");
    }
    options->texts();
    options->odd_pairs();
  });
  when_run(command, [options] { tokenize(*options); });
}

}  // namespace

const Command tokenize_command = {"tokenize", "Turn text, or pairs, into ids to train on",
                                  add_tokenize_options, true};

}  // namespace kette::cli
