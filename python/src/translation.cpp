// Model.translate and Model.score.
#include "cli/translation.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <cmath>
#include <set>

#include "data/metrics/metrics.h"
#include "data/tokenizers/unknown_characters.h"
#include "decode/scorer.h"
#include "decode/search_limits.h"
#include "nn/points.h"
#include "python/src/interrupts.h"
#include "python/src/models.h"
#include "python/src/taps.h"
#include "python/src/translations.h"

namespace kette::python {
namespace {

struct Call {
  cli::TranslateCommandOptions o;
  std::vector<std::string> texts, prefixes;
  bool is_one = false, asks_to_mend = false;
};

std::vector<std::string> strings_of(const nb::object& value, const char* name, bool& is_one) {
  std::vector<std::string> strings;
  is_one = nb::isinstance<nb::str>(value);
  if (is_one) return {bytes_of(value)};
  if (!nb::try_cast(value, strings)) {
    throw nb::type_error(
        (std::string(name) + ": expected a str or a list of them, given another type").c_str());
  }
  return strings;
}

/// What the command line refuses, too.
void check(const Call& call, const Ready& ready) {
  const cli::TranslateCommandOptions& o = call.o;
  const bool has_prefix = !call.prefixes.empty();
  KETTE_CHECK(!has_prefix || call.prefixes.size() == call.texts.size(),
              "prefix: expected one for each of ", call.texts.size(), " texts, given ",
              call.prefixes.size());
  KETTE_CHECK(!call.asks_to_mend || (!has_prefix && !o.lists()),
              "mend: expected neither n_best nor prefix beside it, given ",
              has_prefix ? "prefix" : "n_best", " (what they give is not mended)");
  KETTE_CHECK(o.translate.previous >= 0 && o.translate.previous <= 1000,
              "previous: expected from 0 to 1000, given ", o.translate.previous);
  KETTE_CHECK(o.translate.previous == 0 || (o.split != cli::Split::lines && !o.lists()),
              "previous: expected one translation for each sentence, given n_best or whole lines");
  const std::vector<std::string> languages = [] {
    const auto all = SentenceSplitter::languages();
    return std::vector<std::string>(all.begin(), all.end());
  }();
  KETTE_CHECK(
      o.source_language.empty() ||
          std::find(languages.begin(), languages.end(), o.source_language) != languages.end(),
      "source_language: expected one of ", joined(languages), ", given ", o.source_language);
  const std::vector<std::string> metrics = metric_names();
  const auto& risk = o.translate.decoding.minimum_risk;
  KETTE_CHECK(!risk || std::find(metrics.begin(), metrics.end(), *risk) != metrics.end(),
              "mbr: expected one of ", joined(metrics), ", given ", risk.value_or(""));
  const SearchOptions& search = o.translate.decoding.search;
  for (const auto& [name, value] : {std::pair("extra_length", search.extra_length),
                                    {"max_length", search.max_length},
                                    {"min_length", search.min_length}}) {
    KETTE_CHECK(value >= 0, name, ": expected at least 0, given ", value);
  }
  o.translate.decoding.check();
  if (!o.translate.decoding.sampling) check_width(search, ready.ensemble);
}

std::vector<Translated> translate(Call& call, const Ready& ready, PythonTap& tap) {
  cli::TranslateCommandOptions& o = call.o;
  check(call, ready);
  const Translator& translator = ready.expected_translator();
  Interrupts interrupts;
  o.translate.work.before_step = [&] { interrupts.check(); };
  if (!tap.is_empty()) {
    o.translate.work.tap = &tap;
    o.translate.work.threads = 1;  // so that the tap is called in order, by this thread
  }
  if (o.model.shortlist) {
    o.translate.decoding.shortlist = [its = ready.lexicon()](std::span<const std::int32_t> source) {
      return its->pieces_for(source);
    };
  }
  std::vector<Translated> results(call.texts.size());
  interrupts.run([&] {
    const WithThreads threads(o.translate.work.threads);
    const std::size_t sample = std::min(call.texts.size(), cli::kSentencesAtOnce);
    o.model.models = {ready.name};
    o.choose_sentences(ready.facts, {call.texts.begin(),
                                     call.texts.begin() + static_cast<std::ptrdiff_t>(sample)});
    if (!call.prefixes.empty()) o.translate.mend = false;
    if (o.split == cli::Split::nonewlines) o.translate.breaks = LineBreaks::join;
    TextTranslator text_translator(translator, o.translate);
    UnknownCharacters unknown(translator.tokenizer());
    // In the parts of the command line.
    for (std::size_t begin = 0; begin < call.texts.size(); begin += cli::kSentencesAtOnce) {
      const std::size_t end = std::min(call.texts.size(), begin + cli::kSentencesAtOnce);
      std::vector<SourceText> part;
      for (std::size_t i = begin; i < end; ++i) {
        SourceText& text = part.emplace_back();
        text.text = call.texts[i];
        if (call.prefixes.empty()) continue;
        text.prefix = call.prefixes[i];
        text.fault = cli::fault_of_prefix(text.prefix, *translator.tokenizer());
      }
      text_translator.translate(part, [&](std::int64_t number, TranslatedText found) {
        const std::size_t i = begin + static_cast<std::size_t>(number);
        Translated& result = results[i];
        result.source = call.texts[i];
        result.text = std::move(found.text);
        result.fault = std::move(found.fault);
        for (TranslatedSentence& sentence : found.sentences) {
          std::string source(sentence.part.of(result.source));
          if (!o.translate.mend) {
            for (const auto& [character, count] : unknown.in(source)) {
              sentence.notes.unknown.push_back(character);
            }
          }
          result.sentences.push_back(
              {std::move(source), std::move(sentence), o.translate.decoding.sampling.has_value()});
        }
        if (result.fault.empty()) return;
        KETTE_CHECK(o.on_error != cli::OnError::stop, "text ", i + 1, ": ", result.fault,
                    "; on_error=\"skip\" goes on without it, and its fault says so");
        if (o.on_error == cli::OnError::copy) result.text = result.source;
      });
    }
  });
  if (tap.captures()) results.front().captured = tap.take();
  return results;
}

template <class Self>
nb::object translate_with(const std::shared_ptr<Self>& self, const nb::object& texts,
                          std::int64_t beam, const std::string& beam_kind, std::int64_t n_best,
                          const std::string& length_penalty, std::int64_t extra_length,
                          std::int64_t max_length, std::int64_t min_length, bool allow_unknown,
                          const std::string& to, bool truncate,
                          const std::optional<std::string>& mbr, bool sample, double temperature,
                          std::int64_t top_k, double top_p, std::uint64_t seed,
                          const nb::object& prefix, const std::string& split, std::int64_t previous,
                          const std::string& source_language, std::optional<bool> mend,
                          const std::string& on_error, bool shortlist,
                          const std::optional<std::string>& weights, const std::string& cache,
                          std::int64_t batch_tokens, std::optional<std::int64_t> threads,
                          const nb::object& capture, const nb::object& replace) {
  Call call;
  cli::TranslateCommandOptions& o = call.o;
  call.texts = strings_of(texts, "texts", call.is_one);
  SearchOptions& search = o.translate.decoding.search;
  search.beam = beam;
  search.kind = enum_named<BeamKind>(beam_kind);
  search.n_best = n_best;
  search.length_penalty = parse_length_penalty(length_penalty);
  search.extra_length = extra_length;
  search.max_length = max_length;
  search.min_length = min_length;
  search.allow_unknown = allow_unknown;
  o.translate.language = to;
  o.translate.truncate = truncate;
  o.translate.decoding.minimum_risk = mbr;
  if (sample) o.translate.decoding.sampling = SamplingOptions{temperature, top_k, top_p, seed};
  o.translate.previous = previous;
  o.split = enum_named<cli::Split>(split);
  if (!prefix.is_none()) {
    bool one = false;
    call.prefixes = strings_of(prefix, "prefix", one);
    KETTE_CHECK(o.split == cli::Split::automatic || o.split == cli::Split::lines,
                "prefix: expected split=\"lines\" beside it, given another one");
    o.split = cli::Split::lines;
  }
  o.source_language = source_language;
  o.mend = mend.value_or(true);
  call.asks_to_mend = mend.value_or(false);
  o.on_error = enum_named<cli::OnError>(on_error);
  o.model.shortlist = shortlist;
  o.translate.work.batch_tokens = batch_tokens;
  o.translate.work.threads = threads_of(threads);
  const std::shared_ptr<const Ready> ready = [&] {
    const GilRelease release;
    return ready_of(self, weights, cache);
  }();
  std::vector<std::string> points = ready->points;
  std::erase(points, points::kLogits);  // which a search does not store
  PythonTap tap(capture, replace, points);
  KETTE_CHECK(!tap.captures() || call.is_one, "capture: expected one text, given a list");
  std::vector<Translated> results = translate(call, *ready, tap);
  if (call.is_one) return nb::cast(std::move(results.front()));
  return nb::cast(std::move(results));
}

template <class Self>
void bind_translate(nb::class_<Self>& c) {
  const SearchOptions search;
  c.def(
      "translate", &translate_with<Self>, "texts"_a, nb::kw_only(), "beam"_a = search.beam,
      "beam_kind"_a = "narrowing", "n_best"_a = 1, "length_penalty"_a = search.length_penalty.str(),
      "extra_length"_a = search.extra_length, "max_length"_a = 0, "min_length"_a = 0,
      "allow_unknown"_a = true, "to"_a = "", "truncate"_a = false, "mbr"_a = nb::none(),
      "sample"_a = false, "temperature"_a = 1.0, "top_k"_a = 0, "top_p"_a = 1.0, "seed"_a = 1,
      "prefix"_a = nb::none(), "split"_a = "auto", "previous"_a = 0, "source_language"_a = "",
      "mend"_a = nb::none(), "on_error"_a = "stop", "shortlist"_a = false, "weights"_a = nb::none(),
      "cache"_a = "", "batch_tokens"_a = WorkOptions().batch_tokens, "threads"_a = nb::none(),
      "capture"_a = nb::none(), "replace"_a = nb::none(),
      "Translates a text, or each text of a list: one Translation, or a list of them. The options are those of kette translate, with its defaults but for on_error, and the results have its bits.\n\n"
      "beam, beam_kind, n_best, length_penalty, extra_length, max_length (0: any), min_length, allow_unknown: the search. sample: draws instead, by temperature, top_k, top_p and seed. "
      "mbr: a score by which the one of the n_best that is most like all others is taken. split: \"auto\", \"lines\" (each text whole), \"sentences\" or \"nonewlines\". "
      "to: the target language of a model of several; a text that begins with a tag of its own (\">>deu<< A man\", of an OPUS-MT model) has it from there. prefix: what the translation begins with, for each text. "
      "mend: carry over what the model cannot read or must not change, meet it in the case that it knows, search anew what runs in circles; None: but for n_best above 1 without mbr and for prefix, whose notes say \"unknown\" of what it cannot read. on_error: for a text that is too long \"stop\" (an Error, and no result of any), \"skip\" (an empty translation, whose fault says why) or \"copy\". "
      "weights, cache: of the snapshot (for_decoding). threads: None for those of kt.set_threads.\n\n"
      "capture, replace: as for run(), in every pass of the search, which stores no logits, on one thread: rows are the hypotheses, and what is captured, of one text alone, is a list with a value for each pass. "
      "Ctrl-C ends it.");
}

template <class Self>
nb::object score(const std::shared_ptr<Self>& self, const nb::object& sources,
                 const nb::object& targets, const std::string& to, std::int64_t batch_tokens,
                 std::optional<std::int64_t> threads) {
  bool is_one = false, also_one = false;
  const std::vector<std::string> source = strings_of(sources, "sources", is_one),
                                 target = strings_of(targets, "targets", also_one);
  KETTE_CHECK(is_one == also_one && source.size() == target.size(),
              "score: expected as many targets as sources, given ", source.size(), " and ",
              target.size());
  Interrupts interrupts;
  std::vector<Score> scores = interrupts.run([&] {
    const std::shared_ptr<const Ready> ready = ready_of(self, {}, "");
    ready->expected_translator();
    const Tokenizer& tokenizer = *ready->tokenizer;
    const auto views = [](const std::vector<std::string>& texts) {
      return std::vector<std::string_view>(texts.begin(), texts.end());
    };
    std::vector<std::vector<std::int32_t>> source_ids = tokenizer.encode_all(views(source)),
                                           target_ids =
                                               tokenizer.encode_all(views(target), Side::target);
    for (auto& ids : source_ids) tokenizer.put_tag_before(ids, to);
    WorkOptions work;
    work.batch_tokens = batch_tokens;
    work.threads = threads_of(threads);
    work.before_step = [&] { interrupts.check(); };
    const WithThreads those(work.threads);
    std::vector<Score> result;
    for (SentenceScore& one : score_ids(ready->ensemble, source_ids, target_ids, work)) {
      std::vector<std::string> pieces;
      for (const std::int32_t id : target_ids[result.size()]) pieces.push_back(tokenizer.piece(id));
      pieces.push_back(tokenizer.piece(tokenizer.special().end));
      result.push_back({std::move(one), std::move(pieces)});
    }
    return result;
  });
  if (is_one) return nb::cast(std::move(scores.front()));
  return nb::cast(std::move(scores));
}

template <class Self>
void bind_score(nb::class_<Self>& c) {
  c.def(
      "score", &score<Self>, "sources"_a, "targets"_a, nb::kw_only(), "to"_a = "",
      "batch_tokens"_a = WorkOptions().batch_tokens, "threads"_a = nb::none(),
      "The log-probability of a given translation, or of each of a list, as kette score has it: a Score, or a list of them.");
}

}  // namespace

void bind_translation(nb::class_<LoadedModel>& model, nb::class_<Ready>& ready, nb::module_& m) {
  bind_results(m);
  bind_translate(model);
  bind_translate(ready);
  bind_score(model);
  bind_score(ready);
}

}  // namespace kette::python
