// `kette translate`: translates lines or a document.
#include <algorithm>
#include <cmath>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/processes.h"
#include "cli/shared_translator.h"
#include "cli/translation.h"
#include "data/files/json_text.h"

namespace kette::cli {

namespace {

void run(TranslateCommandOptions& o) {
  const int threads = use_threads(o.common);
  // Of lines, and of a document (TranslationReport).
  check_replaces("--report", o.report, "an earlier report", {"{\"line\":", "{\"block\":"});
  const bool is_document = o.document_format().has_value();
  const LoadedEnsemble<Transformer> loaded = load<Transformer>(o.model);
  check_translates(*loaded.tokenizer, o.model.models.front());
  o.translate.decoding.shortlist = loaded.shortlist();
  check_width(o.translate.decoding.search, loaded.models);
  const Translator translator(loaded.models, loaded.tokenizer, loaded.types);
  loaded.release();
  std::optional<TranslationOutcome> outcome;
  SharedTranslator(translator, o.translate.decoding, o.translate.work, communicator())
      .run([&](const auto& shared) {
        outcome.emplace(is_document ? translate_document(o, shared) : translate_lines(o, shared));
      });
  if (!outcome) return;  // the first process has it
  outcome->report.finish();
  if (o.common.json) {
    Json json = outcome->report.json();
    const double rate = outcome->seconds > 0 ? 1 / outcome->seconds : 0;
    json["seconds"] = outcome->seconds;
    json["sentences_per_second"] = json["sentences"].get<double>() * rate;
    json["target_tokens_per_second"] = json["target_tokens"].get<double>() * rate;
    json["peak_rss_mib"] = peak_rss_mib();
    json["threads"] = threads;
    print_json(o.common, json);
  }
  if (outcome->report.faults() > 0) exit_with(1);
}

bool is_there(const std::string& model) {
  return std::filesystem::exists(model) || host_model(model);
}

/// --model and --checkpoint take all that follows them, a sentence as well: what has a blank in it and is no file.
void part_sentences(TranslateCommandOptions& o, std::vector<std::string>& files) {
  const auto is_sentence = [](const std::string& word) {
    return word.find(' ') != std::string::npos && !is_there(word);
  };
  const auto first = std::find_if(files.begin(), files.end(), is_sentence);
  if (first == files.begin()) return;
  if (first != files.end() && !o.input.empty()) {
    throw UsageError("--input: expected no sentence beside it, given \"" + *first + "\"");
  }
  o.sentences.insert(o.sentences.end(), first, files.end());
  files.erase(first, files.end());
}

void part_sentences(TranslateCommandOptions& o) {
  std::vector<std::string>& models = o.model.models;
  part_sentences(o, models);
  part_sentences(o, o.model.checkpoints);
  if (models.size() < 2 || is_there(models.back())) return;
  fail(models.back(),
       ": expected a model directory, given no such folder (a word to translate stands "
       "first: kette translate \"",
       models.back(), "\" --model ", models.front(), ")");
}

void add_translate_options(CLI::App& command) {
  auto options = std::make_shared<TranslateCommandOptions>();
  add_ensemble_options(command, options->model, NoModel::takes_the_model_to_try);
  OptionGroup text(command, "Text");
  const Option sentence =
      text.list("SENTENCE", options->sentences, "What to translate, instead of a file", "");
  text.path("--input", options->input,
            "Lines (plain, gzip, xz or zstd), or a document (default, or -: stdin)")
      .excludes(sentence);
  text.path(
          "--output", options->output,
          "Where their translations go (default, or -: stdout, with --json in lines of JSON with line and text)")
      .prints();
  text.one_of(
      "--format", all_names<DocumentFormat>(),
      [options](const std::string& name) { options->format = enum_named<DocumentFormat>(name); },
      [options] { return options->format ? enum_name(*options->format) : std::string(); },
      "What the input is: text (lines), or a document that keeps its form (default: by its ending, .md .html .xliff .srt .vtt .tsv .csv .po .eml .mbox .docx)");
  text.numbers("--columns", options->columns, at_least(1),
               "Of a table, which columns are translated, from 1 (default: all that have letters)");
  text.flag("--header", options->header, "Of a table, the first row names the columns and stays");
  const Option mend = text.flag(
      "--mend,!--no-mend", options->mend,
      "Carry over what the model cannot read or must not change (unknown characters, addresses, placeholders, tags), meet it in the case that it knows, search anew what runs in circles; not with --n-best and --prefix");
  text.path(
          "--report", options->report,
          "A line of JSON for each sentence: what it became, what was done to it, what looks wrong")
      .prints();
  const Option prefix = text.path(
      "--prefix", options->prefix,
      "What the translation of each line is to begin with, line by line; a line may be empty. Goes with --split lines");
  const Option split = text.choice(
      "--split", options->split,
      "What is translated at once: lines: each line whole, sentences: each sentence, auto: as many sentences as nearly all lines of the model's own text had; of a model that does not say, one; nonewlines: each sentence of paragraphs whose lines are wrapped. What stands between them stays");
  const Option previous = text.number(
      "--previous", options->translate.previous, at_least(1),
      "Give the model so many sentences before each one, back to an empty line, as context; for models of text that has several in a line (kette train --join-lines)");
  text.one_of(
      "--source-language", SentenceSplitter::languages(),
      [options](const std::string& name) { options->source_language = name; },
      [options] { return options->source_language; },
      "Whose rules part the sentences (default: that of the model's text, or of the lines)");
  text.choice(
      "--on-error", options->on_error,
      "What stands for a line that is no UTF-8 or too long: skip: an empty line, copy: the line itself, stop: nothing, and for none after it");
  TextTranslateOptions& how = options->translate;
  const std::vector<Option> search =
      add_search_options(command, how.decoding.search, how.work, how.language, how.truncate);
  add_shortlist_option(command, options->model);
  add_candidate_options(command, how.decoding, options->candidates, search, true);
  add_common_options(command, options->common);
  when_read(command, [options, split, prefix, previous, mend] {
    TranslateCommandOptions& o = *options;
    if (prefix.given()) {
      if (split.given() && o.split != Split::lines) {
        throw UsageError("--prefix: expected --split lines beside it, given another one");
      }
      o.split = Split::lines;
    }
    if (previous.given() && (o.split == Split::lines || o.lists())) {
      throw UsageError("--previous: expected one translation for each sentence, given " +
                       std::string(o.lists() ? "--n-best" : "whole lines"));
    }
    if (mend.given() && o.mend && (o.lists() || prefix.given())) {
      throw UsageError("--mend: expected neither --n-best nor --prefix beside it, given " +
                       std::string(o.lists() ? "--n-best" : "--prefix"));
    }
    part_sentences(o);
    o.check_input();
    for (const double column : o.columns) {
      if (column != std::floor(column)) {
        throw UsageError("--columns: expected whole numbers, given " + shortest(column));
      }
    }
    if (o.document_format() && !o.mend) {
      throw UsageError("--no-mend: expected lines, given a document, whose marks are carried over");
    }
    if (o.document_format() && (o.lists() || prefix.given())) {
      throw UsageError(std::string(prefix.given() ? "--prefix" : "--n-best") +
                       ": expected lines, given a document (--format text reads it as lines)");
    }
    if (o.common.json && o.common.json_file.empty() && o.document_format() && is_stdin(o.output)) {
      throw UsageError(
          "--json: expected --output beside it for a document, which is no JSON, given none (or --json=FILE)");
    }
    if (o.candidates.sample) o.translate.decoding.sampling = o.candidates.sampling;
    check_search(o.model, o.translate.decoding);
  });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command translate_command = {
    "translate", "Translate stdin, a file or sentences: line by line, or a document as a whole",
    add_translate_options, true};

}  // namespace kette::cli
