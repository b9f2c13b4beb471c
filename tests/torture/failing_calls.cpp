// Lets one call to the C library fail, the n-th of its kind, in every command that reads or writes files: the command
// ends well all the same, or with an error that says why; what was there before is as it was, nothing unfinished is
// left, and the same command, undisturbed, ends as if nothing had been.
#include <cstring>
#include <map>
#include <sstream>

#include "data/files/atomic_file.h"
#include "tensor/error.h"
#include "tests/environment.h"
#include "tests/torture/compare.h"
#include "tests/torture/torture.h"

namespace kette::torture {
namespace {

namespace fs = std::filesystem;

/// The n-th call of a function.
struct Fault {
  std::string call;
  std::int64_t number = 0;
};

/// A command, and what it works on.
struct Victim {
  std::string what;
  Arguments arguments;
  std::string out{};      ///< the file or folder that it makes; empty: it prints what it finds
  std::string earlier{};  ///< what lies there before; of a folder the one that it is a copy of
  Arguments rerun{};      ///< what goes on after a fault; empty: the same
  /// SentencePiece ends the program by a signal where it lacks memory, which is like a kill.
  bool uses_sentencepiece = true;
};

class FailingCalls {
 public:
  FailingCalls(Torture& torture, Victim victim) : torture_(torture), victim_(std::move(victim)) {
    begin();
    const std::string counts = torture_.file("counts");
    const testing::Environment environment(
        {{"LD_PRELOAD", KETTE_FAILING_CALLS}, {"KETTE_CALL_COUNTS", counts}});
    printed_ = run_well(victim_.arguments).out;
    std::istringstream lines(testing::read_file(counts));
    std::string call;
    for (std::int64_t count = 0; lines >> call >> count;) {
      if (count > 0) counts_[call] = count;
    }
    if (victim_.out.empty()) return;
    fs::remove_all(twin());
    fs::rename(out(), twin());
  }

  /// At most so many, spread over all calls.
  std::vector<Fault> faults(std::int64_t most) {
    std::vector<Fault> chosen;
    std::int64_t left = most, functions = static_cast<std::int64_t>(counts_.size());
    // What a rare one leaves goes to the others.
    std::vector<std::pair<std::int64_t, std::string>> by_count;
    for (const auto& [call, count] : counts_) by_count.emplace_back(count, call);
    std::sort(by_count.begin(), by_count.end());
    for (const auto& [count, call] : by_count) {
      const std::int64_t share = std::min(count, std::max<std::int64_t>(1, left / functions));
      for (std::int64_t i = 0; i < share; ++i) {
        const std::int64_t first = i * count / share, after = (i + 1) * count / share;
        chosen.push_back({call, first + 1 + torture_.random().below(after - first)});
      }
      left = std::max<std::int64_t>(0, left - share);
      --functions;
    }
    return chosen;
  }

  /// Throws an Error if anything is otherwise than it should be.
  void operator()(const Fault& fault) const {
    begin();
    const Outcome outcome = run_with(fault);
    const std::string given = told(victim_.arguments, outcome) + ", when call " +
                              std::to_string(fault.number) + " of " + fault.call + " had failed";
    // A lock whose file could not be removed is none.
    if (fault.call == "unlink") fs::remove(out() / ".lock");
    if (outcome.code == 0) {
      check_result(outcome);
      return;
    }
    const bool is_ended =
        victim_.uses_sentencepiece && fault.call == "malloc" && outcome.code > 128;
    // 2: what could not be read may be taken for something that must not be replaced.
    KETTE_CHECK(is_ended || outcome.code == 1 || outcome.code == 2,
                "expected an end with exit code 0, 1 or 2, given ", given);
    const bool is_told = outcome.says("kette: ") || outcome.says("libgomp: Out of memory");
    KETTE_CHECK(is_ended || (is_told && !outcome.says("not foreseen") && names_cause(outcome)),
                "expected an error that says why, given ", given);
    check_earlier();
    check_result(is_made() ? Outcome()
                           : run_well(victim_.rerun.empty() ? victim_.arguments : victim_.rerun));
  }

 private:
  fs::path out() const { return torture_.file(victim_.out); }
  fs::path twin() const { return out().string() + ".twin" + out().extension().string(); }

  /// A folder, by what failed only when it was there. Who makes one does not replace it.
  bool is_made() const {
    return victim_.rerun.empty() && victim_.earlier.empty() && !victim_.out.empty() &&
           fs::is_directory(out());
  }

  void begin() const {
    if (victim_.out.empty()) return;
    remove_leftovers(out());  // as the next one that makes it would
    fs::remove_all(out());
    if (!victim_.earlier.empty()) {
      fs::copy(torture_.file(victim_.earlier), out(), fs::copy_options::recursive);
    }
  }

  Outcome run_with(const Fault& fault) const {
    const testing::Environment environment(
        {{"LD_PRELOAD", KETTE_FAILING_CALLS},
         {"KETTE_FAILING_CALL", fault.call},
         {"KETTE_FAILING_NUMBER", std::to_string(fault.number)}});
    return testing::run_kette(victim_.arguments);
  }

  static bool names_cause(const Outcome& outcome) {
    for (const int error : {EIO, EMFILE, ENOSPC, EACCES, ENOLCK, EPERM}) {
      if (outcome.says(std::strerror(error))) return true;
    }
    // SentencePiece takes a model for damaged that it has no memory for.
    return outcome.says("emory") || outcome.says("expected a SentencePiece model");
  }

  /// A file is the earlier one or whole; all that a folder had is whole.
  void check_earlier() const {
    if (victim_.out.empty() || !fs::exists(out())) return;
    if (fs::is_directory(out())) return check_whole(out());
    const std::string now = testing::read_file(out());
    KETTE_CHECK(
        (!victim_.earlier.empty() && now == testing::read_file(torture_.file(victim_.earlier))) ||
            now == testing::read_file(twin()),
        out().string(), ": expected the earlier file or a whole one, given part of one");
  }

  void check_result(const Outcome& outcome) const {
    if (victim_.out.empty()) {
      KETTE_CHECK(outcome.out == printed_, "expected ", printed_, ", given ", outcome.out);
      return;
    }
    check_equal(out(), twin());
    check_no_leftovers(torture_.folder());
  }

  Torture& torture_;
  Victim victim_;
  std::map<std::string, std::int64_t> counts_;  // of its calls, in an undisturbed run
  std::string printed_;
};

std::vector<Victim> victims(const Torture& torture) {
  const auto at = [&](const std::string& name) { return torture.file(name); };
  const std::string translator = at("translator"), gpt = at("gpt");
  const std::string source = at("valid.en"), target = at("valid.de");
  const Arguments translation = translation_training(torture, "out"),
                  language = language_training(torture, "out");
  const Arguments resumed = {"--steps", "80", "--resume"};
  return {
      {"train (translation)", translation, "out", "", translation + Arguments{"--resume"}},
      {"train (text)", language, "out", "", language + Arguments{"--resume"}, false},
      {"train --resume (translation)", translation + resumed, "out", "translator"},
      {"train --resume (text)", language + resumed, "out", "gpt", {}, false},
      {"average",
       {"average", "--model", translator, "--last", "3", "--out", at("mean.safetensors")},
       "mean.safetensors",
       "earlier.safetensors",
       {},
       false},
      {"tokenize",
       {"tokenize", "--text", at("text.txt"), "--tokenizer", "byte", "--out",
        at("of-bytes.tokens")},
       "of-bytes.tokens",
       "gpt/train.tokens",
       {},
       false},
      {"quantize", {"quantize", "--model", translator, "--out", at("small")}, "small"},
      {"merge",
       {"merge", "--model", at("adapted"), "--out", at("merged")},
       "merged",
       "",
       {},
       false},
      {"export", {"export", "--model", translator, "--out", at("theirs")}, "theirs"},
      {"lexicon",
       {"lexicon", "--src", at("train.en"), "--tgt", at("train.de"), "--model", at("of-words")},
       "of-words",
       "translator"},
      {"translate",
       {"translate", "--model", translator, "--input", source, "--output", at("translated.txt")},
       "translated.txt",
       "valid.de"},
      {"evaluate", {"evaluate", "--model", translator, "--src", source, "--ref", target}},
      {"explain",
       {"explain", "--model", translator, "the cat sees bread .", "--out", at("page.html")},
       "page.html",
       "earlier.html"},
      {"plot",
       {"plot", translator, "--out", at("curves.html")},
       "curves.html",
       "earlier.html",
       {},
       false}};
}

}  // namespace

void torture_by_failing_calls(Torture& torture, std::int64_t faults) {
  if (faults == 0) return;
  const std::vector<Victim> all = victims(torture);
  const auto count = static_cast<std::int64_t>(all.size());
  for (std::int64_t i = 0; i < count; ++i) {
    FailingCalls fail(torture, all[static_cast<std::size_t>(i)]);
    const std::vector<Fault> chosen = fail.faults(share(faults, count, i));
    torture.row("fail calls: " + all[static_cast<std::size_t>(i)].what,
                static_cast<std::int64_t>(chosen.size()), "whole or as it was, and equal",
                [&](std::int64_t number) {
                  fail(chosen[static_cast<std::size_t>(number)]);
                  return 1;
                });
  }
}

}  // namespace kette::torture
