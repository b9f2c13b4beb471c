#include "data/corpora/shard_folder.h"

#include <algorithm>
#include <utility>

#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"
#include "tensor/error.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

struct Names {
  const char *list, *what, *made_by, *taken_by;
};

Names names_of(ShardKind kind) {
  return kind == ShardKind::pairs
             ? Names{"pairs.json", "pairs", "kette tokenize --src --tgt", "--pairs"}
             : Names{"tokens.json", "tokens", "kette tokenize --text", "--text"};
}

ShardKind other_than(ShardKind kind) {
  return kind == ShardKind::pairs ? ShardKind::texts : ShardKind::pairs;
}

constexpr const char* kFirstText = "text-1-";

std::string shard_name(std::size_t text, std::int64_t shard) {
  std::string number = std::to_string(shard + 1);
  number.insert(0, 5 - std::min<std::size_t>(5, number.size()), '0');  // so that names rise
  return "text-" + std::to_string(text + 1) + "-" + number + ".tokens";
}

}  // namespace

ShardFolder::ShardFolder(fs::path path, ShardKind kind, const ShardOptions& options)
    : path_(std::move(path)), kind_(kind), options_(options) {
  const Names names = names_of(kind), other = names_of(other_than(kind));
  KETTE_CHECK(has_list() || !fs::exists(path_ / other.list), path_.string(),
              ": expected a folder of ", names.what, ", which ", names.made_by,
              " makes, given one of ", other.what, ", which ", other.made_by, " made (kette train ",
              other.taken_by, " takes it)");
}

fs::path ShardFolder::list() const { return path_ / names_of(kind_).list; }

fs::path ShardFolder::expected_list() const {
  const Names names = names_of(kind_);
  KETTE_CHECK(has_list(), path_.string(), ": expected a folder of ", names.what, ", which ",
              names.made_by, " makes, given none");
  return list();
}

void ShardFolder::read_list(const std::function<void(const Json&)>& read) const {
  const Json json = parse_json(read_text(expected_list()), list().string());
  try {
    read(json);
  } catch (const nlohmann::json::exception& error) {
    fail(list().string(), ": expected what kette tokenize wrote, given something else (",
         error.what(), ")");
  }
}

void ShardFolder::save_list(const Json& json) const {
  write_file_atomically(list(), json.dump(2) + "\n");
}

void ShardFolder::check_adds(const std::string& tokenizer, const Tokenizer& given) const {
  KETTE_CHECK(tokenizer == given.fingerprint(), path_.string(),
              ": expected the tokenizer that its ", names_of(kind_).what, " are of, ", tokenizer,
              ", given ", given.fingerprint(), " (take another folder)");
}

void ShardFolder::check_reads(const std::string& tokenizer, const Tokenizer& given) const {
  KETTE_CHECK(tokenizer == given.fingerprint(), path_.string(), ": expected ", names_of(kind_).what,
              " of the tokenizer ", given.fingerprint(), ", given those of ", tokenizer,
              " (prepare them with that one: kette tokenize --tokenizer)");
}

std::size_t ShardFolder::count_kept(const std::vector<std::string>& has,
                                    const std::vector<std::string>& wanted) const {
  // Of an --append that was done, or ended, the texts are the last ones, or not there yet.
  const bool has_all =
      wanted.size() <= has.size() && std::equal(wanted.rbegin(), wanted.rend(), has.rbegin());
  KETTE_CHECK(has.empty() || options_.appends || (has_all && wanted.size() == has.size()),
              path_.string(), ": expected the ", has.size(), " texts that its ",
              names_of(kind_).what, " are of, given others (--append adds texts to them)");
  return has_all ? has.size() - wanted.size() : has.size();
}

void ShardFolder::check_duplicates(bool are_left_out, std::size_t kept) const {
  KETTE_CHECK(!are_left_out || kept == 0, path_.string(),
              ": expected no filter \"duplicate\" beside ", "--append, which does not look at the ",
              names_of(kind_).what,
              " that are there, given it (give all texts at once, or leave that filter out)");
}

std::vector<std::string> ShardFolder::make(std::size_t number, const std::string& made_of,
                                           const std::string& size, ShardedText& text) {
  std::vector<std::string> names;
  for (std::int64_t shard = 0;; ++shard) {
    const std::string name = shard_name(number, shard),
                      of_shard = made_of + "; shard " + std::to_string(shard + 1) + " of " + size;
    const bool is_mine = shards_++ % options_.processes == options_.process;
    const bool is_wanted = is_mine && !TokenFile::find(path_ / name, of_shard);
    if (!(is_wanted ? text.write(path_ / name, of_shard) : text.skip())) break;
    names.push_back(name);
  }
  --shards_;  // there was none behind the last one
  return names;
}

bool ShardFolder::has_shard_of(const std::string& made_of) const {
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (!entry.path().filename().string().starts_with(kFirstText)) continue;
    try {
      if (TokenFile::open(entry.path()).info().made_of.starts_with(made_of + "; ")) return true;
    } catch (const Error&) {  // it is made again
    }
  }
  return false;
}

void ShardFolder::check_shard(const std::string& name, const std::string& says,
                              const std::string& made_of) const {
  KETTE_CHECK(says.starts_with(made_of + "; "), (path_ / name).string(), ": expected ",
              names_of(kind_).what, " of a text as ", list().filename().string(),
              " has it, given others (make them again with kette tokenize)");
}

}  // namespace kette
