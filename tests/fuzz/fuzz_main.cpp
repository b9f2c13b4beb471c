// kette-fuzz --list              the names of the targets
// kette-fuzz --seeds FOLDER      writes the seeds of every target to FOLDER/TARGET/
// kette-fuzz TARGET ...          libFuzzer with its own options: -runs=N, -seed=S, a corpus, an input
#include <omp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/targets.h"
#include "tests/support.h"

namespace kette::fuzz {
namespace {

const Target* chosen = nullptr;

[[noreturn]] void list() {
  for (const Target* target : targets()) std::puts(target->name);
  std::exit(0);
}

[[noreturn]] void write_seeds(const std::filesystem::path& folder) {
  for (const Target* target : targets()) {
    const std::vector<std::string> seeds = target->seeds();
    must("a first seed that is accepted", [&] { target->read(seeds.front()); });
    int number = 0;
    for (const std::string& seed : seeds) {
      const auto file = folder / target->name / ("seed-" + std::to_string(number++));
      std::filesystem::create_directories(file.parent_path());
      testing::write_file(file, seed);
    }
  }
  std::exit(0);
}

void choose(const char* name) {
  for (const Target* target : targets()) {
    if (std::strcmp(target->name, name) == 0) chosen = target;
  }
  if (chosen != nullptr) return;
  std::fprintf(stderr, "kette-fuzz: expected --list, --seeds FOLDER or a target, given %s\n", name);
  std::exit(2);
}

}  // namespace

const std::vector<const Target*>& targets() {
  static const std::vector<const Target*> all = {&safetensors_file,
                                                 &safetensors_header,
                                                 &token_file,
                                                 &model_config,
                                                 &translation_model,
                                                 &language_model,
                                                 &adapters,
                                                 &training_state,
                                                 &gpt2_model,
                                                 &marian_model,
                                                 &sentencepiece,
                                                 &marian_tokenizer,
                                                 &gpt2_tokenizer,
                                                 &characters,
                                                 &wordpiece,
                                                 &text_lines,
                                                 &documents,
                                                 &trees,
                                                 &unicode,
                                                 &scores,
                                                 &config_file,
                                                 &log_lines,
                                                 &words,
                                                 &lexicon,
                                                 &sentences,
                                                 &docx_document,
                                                 &html_document,
                                                 &po_document,
                                                 &xml_document,
                                                 &mail_document,
                                                 &markdown_document,
                                                 &subtitles,
                                                 &table_document,
                                                 &marked_text,
                                                 &text_facts,
                                                 &corpus_check,
                                                 &tokenizer_json,
                                                 &prepared_pairs,
                                                 &parallel_table,
                                                 &libretranslate_request,
                                                 &deepl_request,
                                                 &openai_request};
  return all;
}

}  // namespace kette::fuzz

extern "C" {

/// The quarantine of freed blocks would count as memory that a reader took.
const char* __asan_default_options() { return "quarantine_size_mb=16"; }
const char* __ubsan_default_options() { return "print_stacktrace=1"; }

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace kette::fuzz;
  omp_set_num_threads(1);
  if (*argc < 2) choose("nothing");
  if (std::strcmp((*argv)[1], "--list") == 0) list();
  if (std::strcmp((*argv)[1], "--seeds") == 0 && *argc == 3) write_seeds((*argv)[2]);
  choose((*argv)[1]);
  for (int i = 1; i < *argc; ++i) (*argv)[i] = (*argv)[i + 1];  // libFuzzer takes the rest
  --*argc;
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    kette::fuzz::chosen->read({reinterpret_cast<const char*>(data), size});
  } catch (const kette::Error&) {
  }
  return 0;
}
}
