// Two columns of a table are read as two files are.
#include <doctest/doctest.h>

#include "data/checks/corpus_check.h"
#include "data/corpora/joint_vocabulary.h"
#include "data/corpora/parallel_corpus.h"
#include "data/corpora/text_facts.h"
#include "data/files/line_reader.h"
#include "data/files/text_size.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tensor/error.h"
#include "tests/data/packings.h"
#include "tests/data/planted_corpus.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;
using Lines = std::vector<std::string>;

Lines lines_of(const TextColumn& text) {
  LineReader reader(text);
  Lines all;
  for (Lines part; part = reader.next(2), !part.empty();) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// Line n of each side by side, between a score and an address.
std::string table_of(const std::string& source, const std::string& target,
                     const std::string& line_end = "\n") {
  const TextLines sources(source, "source"), targets(target, "target");
  std::string table;
  for (std::int64_t i = 0; i < sources.size(); ++i) {
    table += "0." + std::to_string(i) + "\t" + std::string(sources[i]) + "\t" +
             std::string(targets[i]) + "\thttp://b\xFC" + "cher.de" + line_end;
  }
  return table;
}

struct TwoFilesAndATable {
  TwoFilesAndATable() {
    const testing::TinyText text = testing::tiny_text();
    write(text.source + "\nlonely\n", text.target + "leer\n\n");
  }
  void write(const std::string& source, const std::string& target) const {
    testing::write_file(folder / "en", source);
    testing::write_file(folder / "de", target);
    testing::write_file(folder / "tsv", table_of(source, target));
  }
  ParallelText in(const char* name) const { return {{folder / name, 2}, {folder / name, 3}}; }

  testing::ScratchFolder folder;
  ParallelText files{folder / "en", folder / "de"}, table = in("tsv");
};

TEST_CASE("tsv: a column is what stands between tabs, as it is") {
  const testing::ScratchFolder folder;
  const auto file = folder / "tsv";
  testing::write_file(file,
                      "\xEF\xBB\xBF"
                      "a\tb b\tc\r\n\t\t\r\n\"d\te\"\t f \tmore\tand more\r\n1\t2\r\t3");
  CHECK(lines_of({file, 1}) == Lines{"a", "", "\"d", "1"});
  CHECK(lines_of({file, 2}) == Lines{"b b", "", "e\"", "2\r"});
  CHECK(lines_of({file, 3}) == Lines{"c", "", " f ", "3"});
  CHECK(lines_of(file).size() == 4);
  CHECK(lines_of(file)[1] == "\t\t");
  CHECK(TextColumn(file, 2).name() == "column 2 of " + file.string());
  CHECK(TextColumn(file).name() == file.string());
}

TEST_CASE("tsv: a line with too few columns is an error, and those before it are given out") {
  const testing::ScratchFolder folder;
  const auto file = folder / "tsv";
  testing::write_file(file, "a\tb\tc\nd\te\n\nf\tg\th\n");
  CHECK(lines_of({file, 1}) == Lines{"a", "d", "", "f"});
  for (const std::int64_t column : {2, 3}) {
    LineReader reader({file, column});
    const std::int64_t line = column == 2 ? 3 : 2;
    CHECK(std::ssize(reader.next(10)) == line - 1);
    CHECK(message_of([&] { reader.next(10); }) ==
          "column " + std::to_string(column) + " of " + file.string() + ":" + std::to_string(line) +
              ": expected at least " + std::to_string(column) +
              " columns, with a tab between two of them, given " + std::to_string(column - 1) +
              " (--columns says which ones are source and target)");
  }
}

TEST_CASE("tsv: what is no UTF-8 is told by its place in the line, and only of the column") {
  const testing::ScratchFolder folder;
  const auto file = folder / "tsv";
  testing::write_file(file, "a\tb\nsch\xC3\xB6n\tsch\xF6n\nc\td\n");
  CHECK(lines_of({file, 1}).size() == 3);
  CHECK(contains(message_of([&] {
                   lines_of({file, 2});
                 }),
                 "column 2 of " + file.string() + ":2:11: expected UTF-8, given the byte 0xF6"));
  LineReader kept({file, 2}, {.line_bytes = 9}, FaultyLines::kept);
  CHECK(kept.next(10) == Lines{"b", "", "d"});
  REQUIRE(kept.faults().size() == 1);
  CHECK(contains(kept.faults()[0].message, "tsv:2: expected at most 9 bytes in a line"));
}

TEST_CASE_FIXTURE(TwoFilesAndATable, "tsv: a column has as many lines and bytes as a file of it") {
  for (const auto& [file, column] :
       {std::pair(files.source, table.source), {files.target, table.target}}) {
    CHECK(text_size(column).lines == text_size(file).lines);
    CHECK(text_size(column).bytes == text_size(file).bytes);
  }
  CHECK(check_pairing(table) == check_pairing(files));
}

TEST_CASE_FIXTURE(TwoFilesAndATable, "tsv: the same vocabulary, also of a sample, ids and facts") {
  const SharedTokenizer tokenizer = joint_vocabulary({files}, 200);
  CHECK(joint_vocabulary({table}, 200)->fingerprint() == tokenizer->fingerprint());
  SentencePieceOptions sampled;
  sampled.vocabulary = 100;
  sampled.sample_bytes = text_size(files.source).bytes;
  CHECK(SentencePieceTokenizer::train_files({table.source, table.target}, sampled)->fingerprint() ==
        SentencePieceTokenizer::train_files({files.source, files.target}, sampled)->fingerprint());
  CHECK(text_facts({table}, false, *tokenizer) == text_facts({files}, false, *tokenizer));

  const ParallelCorpus expected = ParallelCorpus::load(files, tokenizer, {});
  CHECK(expected.report().empty.count == 2);
  const std::string content = testing::read_file(folder / "tsv");
  const auto check = [&](const std::string& bytes) {
    testing::write_file(folder / "other", bytes);
    const ParallelCorpus corpus = ParallelCorpus::load(in("other"), tokenizer, {});
    CHECK(corpus.report().text() == expected.report().text());
    REQUIRE(corpus.size() == expected.size());
    for (std::int64_t pair = 0; pair < corpus.size(); ++pair) {
      CHECK(corpus.read(pair).source == expected.read(pair).source);
      CHECK(corpus.read(pair).target == expected.read(pair).target);
    }
  };
  check(content);
  check(table_of(testing::read_file(folder / "en"), testing::read_file(folder / "de"), "\r\n"));
  for (const testing::Packing& packing : testing::kPackings) check(packing.pack(content));
}

TEST_CASE_FIXTURE(TwoFilesAndATable, "tsv: which columns a text is of is part of what it is") {
  const SharedTokenizer tokenizer = joint_vocabulary({files}, 200);
  const std::string made = made_of(table, *tokenizer, {});
  CHECK(made_of(in("tsv"), *tokenizer, {}) == made);
  CHECK(made_of({table.target, table.source}, *tokenizer, {}) != made);
  CHECK(made_of({table.source, {folder / "tsv", 4}}, *tokenizer, {}) != made);
  FilterOptions filters;
  filters.must_fit = 3;
  CHECK(contains(message_of([&] { ParallelCorpus::load(table, tokenizer, filters); }),
                 "column 2 of " + (folder / "tsv").string() + ":1: expected at most 3 tokens"));
}

TEST_CASE_FIXTURE(TwoFilesAndATable, "tsv: kette check finds the same") {
  testing::write_planted(folder.path());
  std::string target = testing::read_file(folder / "train.de");
  std::replace(target.begin(), target.end(), '\t', ' ');
  std::replace(target.begin(), target.end(), '\xF6', 'o');  // what is no UTF-8 is told by file
  write(testing::read_file(folder / "train.en"), target);
  const ParallelText valid{folder / "valid.en", folder / "valid.de"};
  const CorpusReport expected = check_corpus({{files}, {valid}, {}}),
                     report = check_corpus({{table}, {valid}, {}});
  REQUIRE(report.texts.size() == 2);
  for (std::size_t text = 0; text < 2; ++text) {
    const TextReport &a = report.texts[text], &b = expected.texts[text];
    CHECK(a.pairs == b.pairs);
    CHECK(a.languages() == b.languages());
    REQUIRE(a.findings.size() == b.findings.size());
    for (std::size_t i = 0; i < a.findings.size(); ++i) {
      CHECK(a.findings[i].pairs == b.findings[i].pairs);
      REQUIRE(a.findings[i].samples.size() == b.findings[i].samples.size());
      for (std::size_t j = 0; j < a.findings[i].samples.size(); ++j) {
        CHECK(a.findings[i].samples[j].line == b.findings[i].samples[j].line);
        CHECK(a.findings[i].samples[j].target == b.findings[i].samples[j].target);
      }
    }
  }
  const std::string name = (folder / "tsv").string();
  CHECK(report.texts[0].name() == "column 2 of " + name + " and column 3 of " + name);
  testing::write_file(folder / "tsv", "1\ta\tb\n2\tc\n");
  CHECK(contains(message_of([&] {
                   check_corpus({{table}, {}, {}});
                 }),
                 "tsv:2: expected at least 3 columns, with a tab between two of them, given 2"));
}

}  // namespace
}  // namespace kette
