// From text as people have it to its translation, with stand-ins for the model: what comes to it, and what comes back.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "data/documents/formats.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "decode/sentence_mending.h"
#include "decode/text_translator.h"
#include "tests/data/document_doubles.h"
#include "tests/decode/letters_tokenizer.h"
#include "tests/decode/stand_ins.h"
#include "tests/support.h"

using namespace kette;
using testing::contains;
using testing::StandIn;

namespace {

using Strings = std::vector<std::string>;

std::string same(const std::string& text) { return text; }
std::string reversed(const std::string& text) {
  return testing::inverse(TextBlock{.text = text}).text;
}

TextTranslateOptions by_sentences(const std::string& language = "en") {
  TextTranslateOptions options;
  options.splitter = std::make_shared<const SentenceSplitter>(language);
  return options;
}

std::vector<TranslatedText> translated(const StandIn& model, const std::vector<SourceText>& sources,
                                       const TextTranslateOptions& options = by_sentences()) {
  std::vector<TranslatedText> all;
  TextTranslator translator(model, options);
  translator.translate(sources, [&](std::int64_t number, TranslatedText text) {
    CHECK(number == std::ssize(all));
    all.push_back(std::move(text));
  });
  CHECK(all.size() == sources.size());
  return all;
}

TranslatedText translated(const StandIn& model, const std::string& text,
                          const TextTranslateOptions& options = by_sentences()) {
  return translated(model, std::vector<SourceText>{{text}}, options).front();
}

/// A vocabulary of Latin letters, with what it does not know as one unknown piece.
SharedTokenizer small_vocabulary() {
  Strings lines(40, "The quick brown fox jumps over the lazy dog , and so it goes : 0 1 2 ! ? .");
  lines.emplace_back("A B C D E F G H I J K L M N O P Q R S T U V W X Y Z");
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  SentencePieceOptions options;
  options.vocabulary = 110;
  return SentencePieceTokenizer::train(views, options);
}

std::string through(const std::string& bytes, DocumentFormat format, const StandIn& model) {
  const auto document = read_document(format, bytes, "document");
  std::vector<SourceText> sources;
  for (const TextBlock& block : document->blocks()) sources.push_back({block.text, block.marks});
  std::vector<TextBlock> blocks;
  for (TranslatedText& text : translated(model, sources)) {
    CHECK(text.fault.empty());
    blocks.push_back({std::move(text.text), std::move(text.marks)});
  }
  return document->with(blocks);
}

}  // namespace

TEST_CASE("text translator: each sentence comes to the model, and what is between them stays") {
  const StandIn model(same);
  const std::string text = "  One here.   Two there!\tThree?  ";
  CHECK(translated(model, text).text == text);
  CHECK(model.asked == Strings{"One here.", "Two there!", "Three?"});
  CHECK(translated(model, " \t ").text == " \t ");
  CHECK(model.asked.size() == 3);
  TextTranslateOptions whole;  // no splitter
  CHECK(translated(model, "One. Two.", whole).text == "One. Two.");
  CHECK(model.asked.back() == "One. Two.");
}

TEST_CASE("text translator: as many sentences together as the model has learnt") {
  const StandIn model(same);
  TextTranslateOptions options = by_sentences();
  options.together = 2;
  options.together_tokens = 100;
  CHECK(translated(model, "One a. Two b.  Three c. ", options).text == "One a. Two b.  Three c. ");
  CHECK(model.asked == Strings{"One a. Two b.", "Three c."});
  options.together_tokens = 10;  // bytes, here
  translated(model, "One a. Two b.", options);
  CHECK(Strings(model.asked.end() - 2, model.asked.end()) == Strings{"One a.", "Two b."});
}

TEST_CASE("text translator: sentences of two lines, or of two paragraphs, are not put together") {
  const StandIn model(same);
  TextTranslateOptions options = by_sentences();
  options.together = 2;
  options.together_tokens = 100;
  const std::string text = "One a.\nTwo b. Three c.\n\nFour d.";
  CHECK(translated(model, text, options).text == text);
  CHECK(model.asked == Strings{"One a.", "Two b. Three c.", "Four d."});
  options.breaks = LineBreaks::join;
  model.asked.clear();
  CHECK(translated(model, text, options).text == text);
  CHECK(model.asked == Strings{"One a.\nTwo b.", "Three c.", "Four d."});
}

TEST_CASE("text translator: sentences come behind those before them, and only their own stays") {
  const StandIn model(same);
  TextTranslateOptions options = by_sentences();
  options.facts = TextFacts{.source_tokens = 30};
  options.previous = 2;
  const std::vector<SourceText> texts = {
      {"One a.  Two b."}, {"Three c."}, {""}, {"Four d. A title"}, {"Six e."}};
  const auto all = translated(model, texts, options);
  for (std::size_t i = 0; i < texts.size(); ++i) CHECK(all[i].text == texts[i].text);
  CHECK(model.asked == Strings{"One a.", "One a. Two b.", "One a. Two b. Three c.", "Four d.",
                               "Four d. A title", "Six e."});  // nothing ends the title
  CHECK(all[1].sentences[0].notes.previous == 2);
  CHECK(all[1].sentences[0].translation.n_best.front().text == "Three c.");
  CHECK(all[1].sentences[0].translation.n_best.front().hypothesis.tokens ==
        model.tokenizer()->encode("Three c."));
  options.facts->source_tokens = 16;  // bytes, here
  model.asked.clear();
  translated(model, "One a. Two b. Three c.", options);
  CHECK(model.asked == Strings{"One a.", "One a. Two b.", "Two b. Three c."});
  model.asked.clear();
  translated(model, "One a.\nTwo b.\n \nThree c.", options);  // back to the blank line
  CHECK(model.asked == Strings{"One a.", "One a. Two b.", "Three c."});
}

TEST_CASE("text translator: what cannot be told from the sentences before it is translated alone") {
  const StandIn model([](const std::string& text) {
    return text == "One a. Two b." ? std::string("Eins a, zwei b.") : text;
  });
  TextTranslateOptions options = by_sentences();
  options.facts = TextFacts{.source_tokens = 30};
  options.previous = 1;
  const TranslatedText text = translated(model, "One a. Two b. Three c.", options);
  CHECK(text.text == "One a. Two b. Three c.");
  CHECK(model.asked == Strings{"One a.", "One a. Two b.", "Two b. Three c.", "Two b."});
  CHECK(text.sentences[1].notes.alone);
  CHECK(text.sentences[1].notes.previous == 0);
  CHECK_FALSE(text.sentences[2].notes.alone);
  options.mend = false;
  CHECK(translated(model, "One a. Two b. Three c.", options).text == text.text);
}

TEST_CASE("text translator: texts of one call follow those of the call before") {
  const StandIn model(same);
  TextTranslateOptions options = by_sentences();
  options.facts = TextFacts{.source_tokens = 30};
  options.previous = 1;
  TextTranslator translator(model, options);
  const auto translate = [&](const std::vector<SourceText>& texts) {
    translator.translate(texts, [](std::int64_t, const TranslatedText&) {});
  };
  translate({{"One a."}});
  translate({{"Two b."}, {" "}});
  translate({{"Three c."}});
  CHECK(model.asked == Strings{"One a.", "One a. Two b.", "Three c."});
  options.facts.reset();
  CHECK_THROWS_AS(TextTranslator(model, options), Error);
}

TEST_CASE("text translator: what numbers draws is a sentence's place, not the texts around it") {
  using Numbers = std::vector<std::int64_t>;
  const auto numbers = [](const std::vector<std::vector<SourceText>>& calls,
                          const TextTranslateOptions& options) {
    const StandIn model([](const std::string& text) {
      return text == "One a. Two b." ? std::string("Eins a, zwei b.") : text;
    });
    TextTranslator translator(model, options);
    for (const auto& texts : calls) {
      translator.translate(texts, [](std::int64_t, const TranslatedText&) {});
    }
    return model.numbers;
  };
  const SourceText several{"One a. Two b. Three c."}, copied{"---"}, faulty{"", {}, "", "bad"},
      four{"Four dogs. Five elks."}, six{"Six foxes."}, one{"One a. Two b."};
  const TextTranslateOptions options = by_sentences();
  const Numbers together = numbers({{several, copied, faulty, four, six}}, options);
  CHECK(std::set(together.begin(), together.end()).size() == 6);
  CHECK(numbers({{several}, {copied, faulty}, {four}, {six}}, options) == together);
  const Numbers others = numbers({{copied, six, several, four, six}}, options);
  CHECK(Numbers(others.end() - 3, others.end()) == Numbers(together.end() - 3, together.end()));
  // One sentence a line: its line.
  TextTranslateOptions lines;
  lines.mend = false;
  CHECK(numbers({{six, copied}, {faulty, six}}, lines) == Numbers{0, 1, 3});
  // Anew without what came before it: still its own.
  TextTranslateOptions previous = by_sentences();
  previous.facts = TextFacts{.source_tokens = 30};
  previous.previous = 1;
  const Numbers alone = numbers({{six, one}}, previous);
  REQUIRE(alone.size() == 4);
  CHECK(alone[3] == alone[2]);
}

TEST_CASE("text translator: what loops behind other sentences is searched anew alone") {
  const StandIn model([](const std::string& text) {
    return text == "One a. Two b." ? std::string("One cat. Ha ha ha ha ha ha.") : text;
  });
  TextTranslateOptions options = by_sentences();
  options.facts = TextFacts{.source_tokens = 30};
  options.previous = 1;
  const TranslatedText text = translated(model, "One a. Two b.", options);
  CHECK(text.text == "One a. anew");
  CHECK(model.asked == Strings{"One a.", "One a. Two b.", "Two b."});
  CHECK(text.sentences[1].notes.looped);
  CHECK(text.sentences[1].notes.previous == 0);
}

TEST_CASE("text translator: a text that is too long is parted, or its own fault") {
  const StandIn model(same, std::make_shared<ByteTokenizer>(), 20);
  const std::string text = "One of them, and another one, and the last one.";
  const TranslatedText parts = translated(model, text);
  CHECK(parts.text == text);
  CHECK(parts.sentences.size() > 2);
  for (const std::string& asked : model.asked) CHECK(asked.size() <= 20);
  CHECK(parts.sentences.front().divided);
  // What the model has positions for may still be longer than all that it has learnt.
  const StandIn roomy(same);
  TextTranslateOptions learnt = by_sentences();
  learnt.facts = TextFacts{.source_language = "en", .target_language = "de", .source_tokens = 24};
  CHECK(translated(roomy, text, learnt).text == text);
  for (const std::string& asked : roomy.asked) CHECK(asked.size() <= 24);
  CHECK(roomy.asked.size() > 1);
  const std::string link = "See https://example.org/a,b?c=d&e=f and {count, plural, one {a}} .";
  const TranslatedText linked = translated(roomy, link, learnt);
  CHECK(linked.text == link);
  CHECK((linked.sentences.size() == 1 && !linked.sentences.front().divided));
  const std::string two = "It is here, https://example.org/a,b?c=d&e=f, and so is this one.";
  const TranslatedText cut = translated(roomy, two, learnt);
  CHECK(cut.text == two);
  CHECK(cut.sentences.size() == 2);
  learnt.truncate = true;
  CHECK(translated(roomy, text, learnt).sentences.size() == 1);
  const auto whole = translated(model, std::vector<SourceText>{{"short"}, {text}, {"one"}}, {});
  CHECK(whole[0].text == "short");
  CHECK(contains(whole[1].fault, "expected at most 20 tokens"));
  CHECK(whole[2].text == "one");
  TextTranslateOptions plain;
  plain.mend = false;
  const std::vector<SourceText> with_prefixes = {
      {"short", {}, "s"}, {"short", {}, text}, {"one", {}, std::string(20, 'a')}};
  const auto begun = translated(model, with_prefixes, plain);
  CHECK(begun[0].text == "short");
  CHECK(begun[1].fault ==
        "expected a prefix of at most 20 tokens, as many as the model has positions for, given 47");
  CHECK(begun[2].text == "one");
}

TEST_CASE(
    "text translator: addresses, placeholders and unknown characters never come to the model") {
  const StandIn model(reversed, small_vocabulary());
  const TranslatedText text = translated(
      model, "Look at https://example.com/a?b=c, or write {name} \xF0\x9F\x98\x80!  %1$s goes.");
  for (const std::string& asked : model.asked) {
    for (const char* part : {"http", "name", "\xF0\x9F", "%1"}) {
      CAPTURE(asked);
      CHECK_FALSE(contains(asked, part));
    }
  }
  CHECK(text.text ==
        "kooL ta https://example.com/a?b=c, ro etirw {name} \xF0\x9F\x98\x80!  %1$s seog.");
  CHECK(text.sentences[0].notes.carried == 4);
  CHECK(text.sentences[0].notes.unknown == Strings{"\xF0\x9F\x98\x80"});
  // Nothing for a model.
  const std::size_t before = model.asked.size();
  CHECK(translated(model, "https://example.com \xF0\x9F\x98\x80 - ...").text ==
        "https://example.com \xF0\x9F\x98\x80 - ...");
  CHECK(model.asked.size() == before);
  // A word with an unknown letter is one for itself.
  CHECK(translated(model, "the na\xC3\xAFve fox").text == "eht na\xC3\xAFve xof");
  // A letter and its accent are known together, if they are.
  CHECK(translated(model, "the fo\xCC\x81x").sentences[0].notes.carried == 1);
  // What shows nothing is left out: a soft hyphen, a joiner, a mark of direction.
  translated(model, "so\xC2\xADlong\xE2\x81\xA0.");
  CHECK(model.asked.back() == "solong.");
}

TEST_CASE("text translator: tags in a text are carried over, in pairs or between lines") {
  const StandIn turned([](const std::string& text) {
    return text == "It is not red." ? std::string("Rot ist es nicht.") : text;
  });
  for (const std::string text :
       {"It is <b>so</b> red.", "un<i>believ</i>able", "<p class=\"x y\">One two.</p>",
        "One two<br>three four", "One</p><p>two<br/><br/>three<hr>", "a <b c"}) {
    CHECK(translated(turned, text).text == text);
  }
  CHECK(turned.asked == Strings{"It is so red.", "unbelievable", "One two.", "One two three four",
                                "One two three", "a <b c"});
  // A pair goes around the words it was around, the way of the links.
  CHECK(translated(turned, "It <b>is <i>not</i></b> red.").text ==
        "Rot <b>ist <i>es</i></b> nicht.");
}

TEST_CASE("text translator: letters in the case that the model knows") {
  const StandIn model(same, small_vocabulary());
  const TranslatedText raised = translated(model, "THE QUICK BROWN FOX JUMPS.");
  CHECK(model.asked.back() == "The quick brown fox jumps.");
  CHECK(raised.text == "THE QUICK BROWN FOX JUMPS.");
  CHECK(raised.sentences[0].notes.raised);
  // With letters that the vocabulary has no capitals of, too.
  const StandIn small_letters(same, testing::tokenizer_of_small_letters());
  CHECK(translated(small_letters, "THE QUICK BROWN FOX JUMPS.").text ==
        "THE QUICK BROWN FOX JUMPS.");
  CHECK(small_letters.asked.back() == "the quick brown fox jumps.");
  CHECK(translated(small_letters, "The Quick Fox.").sentences[0].notes.lowered);
  translated(model, "The FBI goes.");
  CHECK(model.asked.back() == "The FBI goes.");
  TextTranslateOptions lower = by_sentences();
  lower.facts = TextFacts{};
  lower.facts->capitals = 0;
  CHECK(translated(model, "The quick Fox.", lower).sentences[0].notes.lowered);
  CHECK(model.asked.back() == "the quick fox.");
}

TEST_CASE(
    "strange case: lines that are in capitals, or have some where the model has learnt none") {
  const std::vector<std::string_view> lines = {"A MAN SLEEPS.", "A man sleeps.", "FBI", "a man"};
  CHECK(strange_case(lines, TextFacts{}) == "1 of 4 lines are in capitals");
  CHECK(strange_case(lines, {}) == "1 of 4 lines are in capitals");
  TextFacts lower;
  lower.capitals = 0;
  CHECK(strange_case(lines, lower) ==
        "3 of 4 lines have capitals, which the model's text has none of");
  CHECK(strange_case({"a man"}, lower).empty());
}

TEST_CASE("text translator: loops are searched anew, and doubtful translations are told") {
  const StandIn loops([](const std::string&) { return std::string("so so so so so"); });
  const TranslatedText anew = translated(loops, "It goes on.");
  CHECK(anew.text == "anew");
  CHECK(anew.sentences[0].notes.looped);
  CHECK_FALSE(anew.sentences[0].notes.loops);
  const StandIn as_source(same);
  CHECK(translated(as_source, "ha ha ha ha ha ha").text == "ha ha ha ha ha ha");
  TextTranslateOptions options = by_sentences();
  options.facts = TextFacts{"en", "de", 1, 1, 100, 0.5, 1};
  const StandIn loses([](const std::string&) { return std::string("ab"); });
  const TranslatedText lost = translated(loses, "I have 17 dogs and 4 cats.", options);
  CHECK(lost.sentences[0].notes.missing_numbers == Strings{"17", "4"});
  CHECK(lost.sentences[0].notes.is_short);
  const StandIn invents([](const std::string&) { return std::string("something"); });
  CHECK(translated(invents, "42").text == "42");
}

TEST_CASE("text translator: documents come back byte for byte, and by way of their reverse") {
  const std::string html =
      "<p>The <b>old</b> man &amp; his\n  dog. <i>They sleep. All</i> day!</p>\n"
      "<ul><li>One <a href='x'>two</a>, three</ul><pre>as it is</pre>";
  const std::string subtitles =
      "1\n00:00:01,000 --> 00:00:02,000\nThe <i>old</i> man\nis here,\n\n"
      "2\n00:00:02,100 --> 00:00:03,000\nand sleeps. He dreams.\n";
  const std::string markdown = "# A *title* here\n\nSome `code` and\na [link](http://x.y). More!\n";
  for (const auto& [format, bytes] : {std::pair(DocumentFormat::html, html),
                                      {DocumentFormat::srt, subtitles},
                                      {DocumentFormat::markdown, markdown}}) {
    const StandIn identity(same), inverse(reversed);
    CHECK(through(bytes, format, identity) == bytes);
    const std::string there = through(bytes, format, inverse);
    CHECK(there != bytes);
    CHECK(through(there, format, inverse) == bytes);
  }
}

TEST_CASE("text translator: real documents of all kinds come back byte for byte") {
  const char* named = std::getenv("KETTE_DOCUMENTS");
  if (named == nullptr) {
    MESSAGE("skipped: KETTE_DOCUMENTS names no folder with documents");
    return;
  }
  const StandIn identity(same);
  std::string counts;
  for (const std::string& name : all_names<DocumentFormat>()) {
    const auto format = enum_named<DocumentFormat>(name);
    // Those are filled with translations.
    if (format == DocumentFormat::po || format == DocumentFormat::xliff) continue;
    int documents = 0;
    const std::filesystem::path folder = std::filesystem::path(named) / name;
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!entry.is_regular_file() || entry.path().filename() == "LIST") continue;
      CAPTURE(entry.path().string());
      const std::string bytes = testing::read_file(entry.path());
      ++documents;
      CHECK((through(bytes, format, identity) == bytes));
    }
    counts += " " + name + " " + std::to_string(documents);
  }
  MESSAGE("documents:", counts);
}
