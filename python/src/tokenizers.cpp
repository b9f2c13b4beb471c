// kette.Tokenizer and the functions that make one.
#include "python/src/tokenizers.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>

#include <utility>

#include "cli/tokenizer_option.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/suggestion.h"

namespace kette::python {
namespace {

using Ids = std::vector<std::int32_t>;

Side side_named(const std::string& name) {
  KETTE_CHECK(name == "source" || name == "target", "side: expected source or target, given ",
              name);
  return name == "source" ? Side::source : Side::target;
}

nb::dict special_of(const Tokenizer& tokenizer) {
  const SpecialTokens special = tokenizer.special();
  nb::dict result;
  const auto add = [&](const char* name, std::int32_t id) {
    if (id >= 0) result[name] = id;
  };
  add("pad", special.pad);
  add("unknown", special.unknown);
  add("begin", special.begin);
  add("end", special.end);
  if (const auto mask = tokenizer.mask()) add("mask", *mask);
  return result;
}

std::vector<nb::str> pieces(const PythonTokenizer& self, const nb::object& text,
                            const std::string& side) {
  const Side which = side_named(side);
  std::vector<nb::str> result;
  for (const std::int32_t id : ids_of(text, self.shared.get(), which)) {
    result.push_back(
        text_of(which == Side::source ? self.shared->source_piece(id) : self.shared->piece(id)));
  }
  return result;
}

PythonTokenizer train(const std::variant<std::string, std::vector<std::string>>& text,
                      std::int64_t vocabulary, const std::string& model, double coverage,
                      bool byte_fallback, const std::vector<std::string>& languages, bool mask) {
  SentencePieceOptions options;
  options.vocabulary = vocabulary;
  KETTE_CHECK(model == "bpe" || model == "unigram", "model: expected bpe or unigram, given ",
              model);
  options.model =
      model == "bpe" ? SentencePieceOptions::Model::bpe : SentencePieceOptions::Model::unigram;
  options.character_coverage = coverage;
  options.byte_fallback = byte_fallback;
  options.languages = languages;
  options.mask = mask;
  if (const auto* whole = std::get_if<std::string>(&text)) {
    return {SentencePieceTokenizer::train_text(*whole, options)};
  }
  const auto& lines = std::get<std::vector<std::string>>(text);
  return {SentencePieceTokenizer::train(std::vector<std::string_view>(lines.begin(), lines.end()),
                                        options)};
}

}  // namespace

nb::str text_of(const std::string& bytes) {
  PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), std::ssize(bytes), "replace");
  if (text == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(text);
}

std::string bytes_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

std::int32_t id_of(nb::handle value) {
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int is_beyond = 0;
  const long long id = PyLong_AsLongLongAndOverflow(index.ptr(), &is_beyond);
  KETTE_CHECK(is_beyond == 0 && std::in_range<std::int32_t>(id),
              "ids: expected whole numbers of 32 bits, given ", nb::str(index).c_str());
  return static_cast<std::int32_t>(id);
}

Ids ids_of(const nb::object& text, const Tokenizer* tokenizer, Side side) {
  if (nb::isinstance<nb::str>(text)) {
    KETTE_CHECK(tokenizer != nullptr,
                "text: expected ids for a model without a tokenizer, given a text "
                "(model.tokenizer = tokenizer sets it)");
    return tokenizer->encode(bytes_of(text), side);
  }
  if (nb::isinstance<Variable>(text)) {
    const Tensor ids = nb::cast<const Variable&>(text).value().to(Device{});
    KETTE_CHECK(ids.dtype() == DType::i32, "ids: expected i32, given ", name_of(ids.dtype()));
    return ids.values<std::int32_t>();
  }
  if (!PySequence_Check(text.ptr())) {
    throw nb::type_error("text: expected a str or a sequence of ids, given another type");
  }
  Ids ids;
  for (const nb::handle id : text) {
    ids.push_back(id_of(id));
  }
  return ids;
}

void bind_tokenizers(nb::module_& m) {
  nb::class_<PythonTokenizer>(m, "Tokenizer", "Text as token ids, and back. It never changes.")
      .def_prop_ro(
          "kind", [](const PythonTokenizer& self) { return self.shared->kind(); },
          "\"byte\", \"character\", \"gpt2\", \"sentencepiece\", \"wordpiece\", \"marian\", \"word\" or \"tree\".")
      .def_prop_ro(
          "vocabulary", [](const PythonTokenizer& self) { return self.shared->vocabulary(); },
          "The number of tokens; ids are below it.")
      .def_prop_ro(
          "special", [](const PythonTokenizer& self) { return special_of(*self.shared); },
          nb::sig("def special(self) -> dict[str, int]"),
          "The ids of the special tokens that it has, by name: pad, unknown, begin, end, mask.")
      .def_prop_ro(
          "languages", [](const PythonTokenizer& self) { return self.shared->languages(); },
          "The target languages that it has a token for.")
      .def_prop_ro(
          "fingerprint", [](const PythonTokenizer& self) { return self.shared->fingerprint(); },
          "The same for tokenizers that give the same ids.")
      .def(
          "encode",
          [](const PythonTokenizer& self, std::string_view text, const std::string& side) {
            return self.shared->encode(text, side_named(side));
          },
          "text"_a, "side"_a = "source", without_gil(),
          "The ids of a text, without the begin and end marks. side: \"source\" or \"target\", for the kinds marian and tree.")
      .def(
          "encode_all",
          [](const PythonTokenizer& self, const std::vector<std::string>& texts,
             const std::string& side) {
            const GilRelease release;
            return self.shared->encode_all(
                std::vector<std::string_view>(texts.begin(), texts.end()), side_named(side));
          },
          "texts"_a, "side"_a = "source", "The ids of each text, on all threads.")
      .def(
          "decode",
          [](const PythonTokenizer& self, const nb::object& ids) {
            return text_of(self.shared->decode(ids_of(ids, nullptr)));
          },
          "ids"_a, nb::sig("def decode(self, ids: collections.abc.Sequence[int] | Tensor) -> str"),
          "The text of ids. Half a character becomes U+FFFD.")
      .def(
          "pieces", &pieces, "text"_a, "side"_a = "source",
          nb::sig(
              "def pieces(self, text: str | collections.abc.Sequence[int] | Tensor, side: str = 'source') -> list[str]"),
          "The piece of text that each token of a text, or each id, stands for.")
      .def(
          "save",
          [](const PythonTokenizer& self, const std::filesystem::path& folder) {
            self.shared->save(folder);
          },
          "folder"_a, "Writes its files into a folder.")
      .def("__len__", [](const PythonTokenizer& self) { return self.shared->vocabulary(); })
      .def("__repr__", [](const PythonTokenizer& self) {
        return "Tokenizer(" + self.shared->kind() + ", vocabulary " +
               std::to_string(self.shared->vocabulary()) + ")";
      });

  m.def(
      "CharacterTokenizer",
      [](std::string_view text, bool mask) {
        return PythonTokenizer{CharacterTokenizer::from_text(text, "text", mask)};
      },
      "text"_a, "mask"_a = false, without_gil(),
      "A tokenizer of the characters of a text, in code point order, and an end of text. mask: also a token for masked characters, for a masked language model.");
  m.def(
      "load_tokenizer",
      [](const std::string& name) { return PythonTokenizer{cli::load_named_tokenizer(name)}; },
      "name"_a, without_gil(),
      (std::string("Loads a tokenizer: ") + cli::kTokenizerHelp + ".").c_str());
  m.def(
      "train_tokenizer", &train, "text"_a, "vocabulary"_a = 10000, nb::kw_only(), "model"_a = "bpe",
      "character_coverage"_a = 1.0, "byte_fallback"_a = false,
      "languages"_a = std::vector<std::string>(), "mask"_a = false, without_gil(),
      "Trains a SentencePiece tokenizer (Sennrich et al. 2016): on a list of lines for translation, on one text for a language model, "
      "which then restores every byte. model: \"bpe\" or \"unigram\".");
}

}  // namespace kette::python
