#include "python/src/translations.h"

#include <set>

#include "cli/translation_report.h"
#include "python/src/tokenizers.h"

namespace kette::python {

std::vector<Alternative> Sentence::alternatives() const {
  if (all_samples) return found.translation.n_best;
  std::vector<Alternative> result;
  std::set<std::string_view> texts;
  for (const Alternative& one : found.translation.n_best) {
    if (texts.insert(one.text).second) result.push_back(one);
  }
  return result;
}

std::vector<std::string> Sentence::notes() const {
  std::vector<std::string> notes = cli::TranslationReport::notes_of(found);
  if (!found.notes.unknown.empty() && found.notes.carried == 0) notes.emplace_back("unknown");
  return notes;
}

void bind_results(nb::module_& m) {
  nb::class_<Alternative>(m, "Alternative", "A translation that a search or a sample has found.")
      .def_prop_ro(
          "text", [](const Alternative& self) { return text_of(self.text); }, "The translation.")
      .def_prop_ro(
          "score", [](const Alternative& self) { return self.hypothesis.score; },
          "The log-probability over the length penalty.")
      .def_prop_ro(
          "log_probability",
          [](const Alternative& self) { return self.hypothesis.log_probability; },
          "Of the tokens and the end mark, in nats.")
      .def_prop_ro(
          "tokens", [](const Alternative& self) { return self.hypothesis.tokens; },
          "The ids, without the end mark.")
      .def_prop_ro(
          "at_limit", [](const Alternative& self) { return self.hypothesis.at_limit; },
          "Whether it is as long as the limits allow.")
      .def_prop_ro(
          "utility", [](const Alternative& self) { return self.utility; },
          "With mbr: the expected score against all others.")
      .def("__str__", [](const Alternative& self) { return text_of(self.text); })
      .def(
          "__repr__",
          [](const Alternative& self) {
            return nb::str("Alternative({!r}, score={:.4f})")
                .attr("format")(text_of(self.text), self.hypothesis.score);
          },
          nb::sig("def __repr__(self) -> str"));
  nb::class_<Sentence>(
      m, "Sentence",
      "A part of a text that was translated at once: a sentence, or the whole text with split=\"lines\".")
      .def_prop_ro(
          "source", [](const Sentence& self) { return text_of(self.source); },
          "What was translated.")
      .def_prop_ro(
          "text", [](const Sentence& self) { return text_of(self.found.text); }, "The translation.")
      .def_prop_ro(
          "score", [](const Sentence& self) { return self.best().score; },
          "The log-probability over the length penalty.")
      .def_prop_ro(
          "log_probability", [](const Sentence& self) { return self.best().log_probability; },
          "Of the tokens and the end mark, in nats.")
      .def_prop_ro(
          "tokens", [](const Sentence& self) { return self.best().tokens; },
          "The ids, without the end mark.")
      .def_prop_ro("alternatives", &Sentence::alternatives,
                   "The n_best, best first, or the samples, as they were found (not mended).")
      .def_prop_ro(
          "notes", &Sentence::notes,
          "What was done to it and what looks wrong, as in the report of kette translate: \"carried\", \"loops\", \"short\" ...; and \"unknown\": it has characters that the model does not know, and nothing was mended.")
      .def(
          "__repr__",
          [](const Sentence& self) {
            return nb::str("Sentence({!r}, score={:.4f})")
                .attr("format")(text_of(self.found.text), self.best().score);
          },
          nb::sig("def __repr__(self) -> str"));
  nb::class_<Translated>(m, "Translation", "The translation of a text; str() is its text.")
      .def_prop_ro(
          "source", [](const Translated& self) { return text_of(self.source); },
          "What was translated.")
      .def_prop_ro(
          "text", [](const Translated& self) { return text_of(self.text); },
          "The text, as a line of kette translate.")
      .def_prop_ro(
          "score", [](const Translated& self) { return self.sum(&Hypothesis::score); },
          "The log-probability over the length penalty; of several sentences the sum.")
      .def_prop_ro(
          "log_probability",
          [](const Translated& self) { return self.sum(&Hypothesis::log_probability); },
          "In nats, of all sentences together.")
      .def_prop_ro(
          "tokens",
          [](const Translated& self) {
            std::vector<std::int32_t> tokens;
            for (const Sentence& sentence : self.sentences)
              tokens.insert(tokens.end(), sentence.best().tokens.begin(),
                            sentence.best().tokens.end());
            return tokens;
          },
          "The ids of the best translation, of all sentences one after the other.")
      .def_prop_ro(
          "sentences", [](const Translated& self) { return self.sentences; },
          "The parts that were translated at once.")
      .def_prop_ro(
          "alternatives",
          [](const Translated& self) {
            return self.sentences.size() == 1 ? self.sentences.front().alternatives()
                                              : std::vector<Alternative>();
          },
          "Of a text of one sentence its n_best or samples; of several each has its own (sentences).")
      .def_prop_ro(
          "notes",
          [](const Translated& self) {
            std::set<std::string> notes;
            for (const Sentence& sentence : self.sentences) {
              for (const std::string& note : sentence.notes()) notes.insert(note);
            }
            return std::vector<std::string>(notes.begin(), notes.end());
          },
          "The notes of its sentences.")
      .def_prop_ro(
          "fault", [](const Translated& self) { return self.fault; },
          "Why it was not translated (on_error); \"\" if it was.")
      .def_prop_ro(
          "captured",
          [](const Translated& self) {
            nb::dict captured;
            for (const auto& [name, values] : self.captured) captured[name.c_str()] = values;
            return captured;
          },
          nb::sig("def captured(self) -> dict[str, list[Tensor]]"),
          "With capture: the values of each pass, in order.")
      .def("__str__", [](const Translated& self) { return text_of(self.text); })
      .def(
          "__repr__",
          [](const Translated& self) {
            return nb::str("Translation({!r}, score={:.4f})")
                .attr("format")(text_of(self.text), self.sum(&Hypothesis::score));
          },
          nb::sig("def __repr__(self) -> str"));
  nb::class_<Score>(m, "Score",
                    "How likely a given translation is; float() is the log-probability.")
      .def_prop_ro(
          "log_probability", [](const Score& self) { return self.score.log_probability; },
          "Of all tokens and the end mark, in nats.")
      .def_prop_ro(
          "token_log_probabilities",
          [](const Score& self) { return self.score.token_log_probabilities; },
          "Of each token, then of the end mark.")
      .def_prop_ro(
          "pieces",
          [](const Score& self) {
            std::vector<nb::str> pieces;
            for (const std::string& piece : self.pieces) pieces.push_back(text_of(piece));
            return pieces;
          },
          nb::sig("def pieces(self) -> list[str]"), "The tokens, and the end mark.")
      .def("__float__", [](const Score& self) { return self.score.log_probability; })
      .def(
          "__repr__",
          [](const Score& self) {
            return nb::str("Score({:.6f}, {} tokens)")
                .attr("format")(self.score.log_probability, self.score.tokens());
          },
          nb::sig("def __repr__(self) -> str"));
}

}  // namespace kette::python
