// Tags of target languages as OPUS-MT's vocabularies have them, asked for by name or at the start of a text.
#include <doctest/doctest.h>

#include <algorithm>

#include "data/documents/formats.h"
#include "data/tokenizers/unknown_characters.h"
#include "decode/text_translator.h"
#include "tests/decode/stand_ins.h"
#include "tests/marian_of_two_targets.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("target tags: a Marian vocabulary with several needs one, with a single one none") {
  const ScratchFolder folder;
  const SharedTokenizer two = load_tokenizer(marian_of_two_targets(folder.path()));
  CHECK(two->languages() == std::vector<std::string>{"deu", "fra"});
  CHECK(two->needs_language());
  CHECK(two->tag_of("fra") == 138);
  CHECK_FALSE(two->tag_of("ita"));
  CHECK_FALSE(two->tag_of(""));
  const std::string text = "The dry hall.";
  CHECK(two->encode_source(text, "deu") == two->encode(">>deu<< " + text));
  CHECK(two->encode_source("", "").empty());
  // A text's own comes first, and is one.
  for (const char* asked : {"", "deu", "fra"}) {
    CHECK(two->encode_source(">>fra<< " + text, asked) == two->encode(">>fra<< " + text));
  }
  CHECK(message_of([&] { two->encode_source(text, ""); })
            .starts_with(
                "language: expected the one to translate to, of deu, fra, given none (--to NAME"));
  CHECK(message_of([&] { two->encode_source(text, "ita"); }) ==
        "language: expected one of deu, fra, given ita");
  const WrittenTag tag = two->written_tag(">>zho_Hans<<  " + text);
  CHECK(tag.language == "zho_Hans");
  CHECK(tag.size == 14);
  CHECK(two->written_tag(">>ein Hund<< " + text).size == 0);
  CHECK(two->written_tag(text + " >>deu<<").size == 0);
  // Texts are encoded as tags, so these are no marks that are read as text, nor unknown characters.
  const std::vector<std::string> marks = two->marks();
  CHECK(std::find(marks.begin(), marks.end(), ">>deu<<") == marks.end());
  CHECK(UnknownCharacters(two).in(">>deu<< o").size() == 1);

  const SharedTokenizer one =
      load_tokenizer(source_folder() / "tests/fixtures/hugging_face/marian");
  CHECK(one->languages() == std::vector<std::string>{"deu"});
  CHECK_FALSE(one->needs_language());
  CHECK(one->encode_source(text, "") == one->encode(text));
  CHECK(one->encode_source(text, "deu") == one->encode(">>deu<< " + text));
}

TEST_CASE("target tags: one that a text begins with is for all its sentences, and not translated") {
  const ScratchFolder folder;
  const SharedTokenizer tokenizer = load_tokenizer(marian_of_two_targets(folder.path()));
  const StandIn model([](const std::string& text) { return text; }, tokenizer);
  TextTranslateOptions options;
  options.splitter = std::make_shared<const SentenceSplitter>("en");
  options.language = "fra";
  const auto translated = [&](const std::vector<SourceText>& sources) {
    std::vector<TranslatedText> all;
    TextTranslator(model, options).translate(sources, [&](std::int64_t, TranslatedText text) {
      all.push_back(std::move(text));
    });
    REQUIRE(all.size() == sources.size());
    return all;
  };
  const auto found = translated({{" >>deu<< The dry hall. The new hall.\n>>fra<< The well."},
                                 {"The dry hall."},
                                 {">>ita<< The dry hall."},
                                 {">>deu<<"}});
  CHECK(model.asked ==
        std::vector<std::string>{"The dry hall.", "The new hall.", "The well.", "The dry hall."});
  CHECK(model.languages == std::vector<std::string>{"deu", "deu", "fra", "fra"});
  CHECK(found[0].text == " The dry hall. The new hall.\nThe well.");
  REQUIRE(found[0].sentences.size() == 3);
  CHECK(found[0].sentences[0].tag_begin == 1);
  CHECK(found[0].sentences[0].part == Sentence{9, 22});
  CHECK(found[0].sentences[1].tag_begin == found[0].sentences[1].part.begin);
  CHECK(found[1].text == "The dry hall.");
  CHECK(found[2].fault == "expected one of deu, fra for its target language, given ita");
  CHECK(found[3].text.empty());
  // As many blocks of a document have it; a break within the space behind it keeps a space to replace.
  const auto document =
      read_document(DocumentFormat::html,
                    "<p>&gt;&gt;deu&lt;&lt; The dry <b>hall</b>. The new hall.</p>", "page");
  REQUIRE(document->blocks().size() == 1);
  const TextBlock& block = document->blocks().front();
  const TranslatedText page = translated({{block.text, block.marks}}).front();
  CHECK(document->with({{page.text, page.marks}}) == "<p>The dry <b>hall</b>. The new hall.</p>");
  CHECK(model.languages.back() == "deu");
  const TranslatedText broken =
      translated({{">>deu<< The dry hall.", {{Mark::Kind::breaks, 7, "\n"}}}}).front();
  CHECK(broken.text == " The dry hall.");
  REQUIRE(broken.marks.size() == 1);
  CHECK(broken.marks.front().at == 0);
  // Whole texts as they are.
  options.splitter.reset();
  options.mend = false;
  options.language.clear();
  CHECK(translated({{">>deu<< The dry hall. The new hall."}}).front().text ==
        "The dry hall. The new hall.");
  CHECK(model.languages.back() == "deu");
}
