// vocab.json, source.spm and target.spm of MarianTokenizer, and a text.
#include "data/files/utf8.h"
#include "data/tokenizers/tokenizer.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  const std::string folder = "hugging_face/marian/";
  return {joined({fixture(folder + "vocab.json"), "a man sees >>de<<",
                  fixture(folder + "source.spm"), fixture(folder + "target.spm")}),
          joined({R"({"<pad>":0,"<unk>":1,"</s>":2,"a":3})", ">>de<< a", "", ""})};
}

/// Models that the input leaves out are the fixture's, so that most inputs come past them.
void put_model(const std::string& name, std::string_view bytes) {
  put("pieces/" + name, bytes.empty() ? fixture("hugging_face/marian/" + name) : bytes);
}

void read(std::string_view input) {
  const auto files = parts(input, 4);
  const auto folder = put("pieces/vocab.json", files[0]).parent_path();
  put_model("source.spm", files[2]);
  put_model("target.spm", files[3]);
  const SharedTokenizer tokenizer = load_tokenizer(folder);
  if (first_invalid_utf8(files[1]) != std::string_view::npos) return;
  for (const Side side : {Side::source, Side::target}) {
    const auto ids = tokenizer->encode(files[1], side);
    for (const std::int32_t id : ids) {
      expect(id >= 0 && id < tokenizer->vocabulary(), "ids of the vocabulary");
    }
    must("ids of a tokenizer's own to stand for text", [&] { tokenizer->decode(ids); });
  }
}

}  // namespace

const Target marian_tokenizer = {"marian-tokenizer", seeds, read};

}  // namespace kette::fuzz
