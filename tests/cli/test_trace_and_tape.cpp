// `kette trace` and `kette tape` as a person runs them.
#include <doctest/doctest.h>

#include <sstream>

#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/trees/tree.h"
#include "models/model_directory.h"
#include "tests/cli/call_kette.h"
#include "tests/data/tiny_text.h"

using namespace kette::testing;

namespace {

const std::vector<std::string> kSmall = {"--preset=char-cpu", "--layers=1", "--tokens=64"};

Outcome run_small(std::vector<std::string> words, const RunOptions& options = {}) {
  words.insert(words.begin() + 1, kSmall.begin(), kSmall.end());
  return run_kette(words, options);
}

}  // namespace

TEST_CASE("kette trace writes a step for Perfetto and says where its time and memory go") {
  const ScratchFolder folder;
  const std::string file = (folder / "step.json").string();
  const Outcome outcome =
      run_small({"trace", "--no-limits", "--warmup=1", "--perfetto=" + file, "--json"});
  REQUIRE(outcome.code == 0);
  const JsonView json = outcome.json();
  CHECK(json.at("what") == "a training step of char-cpu");
  double share = 0;
  for (const JsonView& row : json.at("ops")) share += row.at("share").get<double>();
  CHECK(share > 0.5);
  CHECK(share <= 1.001);
  std::int64_t named = 0;
  for (const JsonView& holder : json.at("at_peak")) named += holder.at("bytes").get<std::int64_t>();
  CHECK(named == json.at("peak_bytes"));
  CHECK(JsonView::parse(read_file(file)).at("traceEvents").size() > 50);
  CHECK(contains(outcome.out, "self_attention backward"));
  CHECK(contains(outcome.out, "layers/0"));
  write_file(file + ".txt", "precious\n");
  const Outcome taken = run_small({"trace", "--no-limits", "--perfetto=" + file + ".txt"});
  CHECK(taken.code == 2);
  CHECK(taken.says("expected a new file or an earlier trace"));
  CHECK(read_file(file + ".txt") == "precious\n");
  CHECK(run_small({"trace", "--no-limits", "--warmup=0", "--perfetto=" + file}).code == 0);
}

TEST_CASE("kette trace --decode traces a text as it is written, and a translation") {
  const Outcome text = run_small(
      {"trace", "--decode", "--max-tokens=3", "--no-limits", "--warmup=0", "--json", "--pairs=1"});
  REQUIRE(text.code == 0);
  CHECK(contains(text.out, "prepacked_linear"));
  CHECK(text.json().at("what") == "3 tokens of char-cpu");
  CHECK(text.json().contains("overhead"));
  const Outcome translation =
      call_kette({"trace", "--preset=tiny", "--encoder-layers=1", "--decoder-layers=1", "--decode",
                  "--max-tokens=3", "--no-limits", "--warmup=0"});
  REQUIRE(translation.code == 0);
  CHECK(contains(translation.out, "top_k"));
}

TEST_CASE("kette tape lists all nodes, walks them backward, and checks one") {
  const Outcome all = run_small({"tape", "--json"});
  REQUIRE(all.code == 0);
  const JsonView nodes = all.json().at("nodes");
  REQUIRE(nodes.size() > 5);
  const Outcome lines = run_small({"tape", "--nodes"});
  for (const JsonView& node : nodes) {
    CHECK(contains(lines.out, node.at("scope").text()));
    CHECK(node.at("gradient_norm").get<double>() > 0);
  }
  // Not from a terminal: nothing is waited for, and all are shown, the last first.
  const Outcome walk = run_small({"tape", "--step"});
  CHECK(walk.out.starts_with("%" + std::to_string(nodes.size() - 1) + "  linear_cross_entropy"));
  CHECK(contains(walk.out, "\n%0  embedding"));
  CHECK(contains(walk.out, "contribution"));

  std::vector<std::string> check = kette::split_words(nodes[3].at("check").text());
  CHECK(check[0] == "kette");
  check.erase(check.begin());
  const Outcome checked = call_kette(check);
  CHECK(checked.code == 0);
  CHECK(checked.out.starts_with("ok     %3 " + nodes[3].at("op").text()));
  CHECK(contains(checked.out, "adjoint"));
}

TEST_CASE("trace and tape take a trained language model and a text") {
  const ScratchFolder folder;
  const std::filesystem::path place = folder / "my gpt";  // which a shell wants in quotes
  const std::string model = "--model=" + place.string(),
                    text = "--text=" + (folder / "text").string();
  kette::GptConfig config = kette::small_gpt();
  config.vocabulary = kette::ByteTokenizer().vocabulary();
  kette::Gpt gpt(config);
  gpt.materialize(1);
  kette::save_description(place, config, kette::ByteTokenizer());
  kette::save_parameters(place / kette::kModelFile, gpt.parameters(), {});
  write_file(folder / "text", "of what is written here a step is made");
  const Outcome trace =
      call_kette({"trace", model, text, "--no-limits", "--warmup=0", "--tokens=20", "--json"});
  REQUIRE(trace.code == 0);
  CHECK(trace.json().at("what") == "a training step of my gpt");
  const Outcome tape = call_kette({"tape", model, text, "--tokens=20", "--json"});
  REQUIRE(tape.code == 0);
  const JsonView first = tape.json().at("nodes")[0];
  CHECK(first.at("outputs")[0] == "f32 " + kette::Shape{20, config.width}.str());
  CHECK(first.at("check").text().starts_with("kette tape --model="));
  CHECK_FALSE(contains(first.at("check").text(), "=/"));  // pages hold no path from the root
  CHECK_FALSE(contains(first.at("check").text(), "='/"));
  CHECK(contains(first.at("check").text(), "/my gpt' "));
  CHECK(call_kette({"tape", model, text, "--tokens=20", "--check=1"}).code == 0);
  const std::string context = std::to_string(config.context);
  CHECK(call_kette({"tape", model, text, "--tokens=20", "--context", context}).code == 0);
  CHECK(call_kette({"tape", model, text, "--context", "7"})
            .says("--context: expected " + context + ", as the model in "));
  const Outcome decoding =
      call_kette({"trace", model, "--decode", "--prompt=of", "--max-tokens=4", "--no-limits"});
  CHECK(decoding.code == 0);
  CHECK(contains(decoding.out, "sample"));
  CHECK(call_kette({"trace", model, "--src=a", "--tgt=b", "--no-limits"})
            .says("--src: expected a translation model, given a language model"));
}

TEST_CASE("trace and tape take a trained translation model and sentences") {
  const ScratchFolder folder;
  const TinyText tiny = tiny_text();
  write_file(folder / "source", tiny.source);
  write_file(folder / "target", tiny.target);
  const std::string model = "--model=" + (folder / "model").string(),
                    source = "--src=" + (folder / "source").string(),
                    target = "--tgt=" + (folder / "target").string();
  kette::SentencePieceOptions pieces;
  pieces.vocabulary = 100;
  const kette::SharedTokenizer tokenizer =
      kette::SentencePieceTokenizer::train_files({folder / "source", folder / "target"}, pieces);
  kette::TransformerConfig config = kette::small_transformer(kette::NormOrder::post);
  config.vocabulary = tokenizer->vocabulary();
  config.max_length = 64;
  kette::Transformer transformer(config);
  transformer.materialize(1);
  kette::save_description(folder / "model", config, *tokenizer);
  kette::save_parameters(folder / "model" / kette::kModelFile, transformer.parameters(), {});
  const Outcome tape = call_kette({"tape", model, source, target, "--tokens=60", "--nodes"});
  CHECK(tape.code == 0);
  CHECK(contains(tape.out, "decoder/1/cross_attention/heads"));
  const Outcome decoding = call_kette(
      {"trace", model, "--decode", "--prompt=a girl sees", "--max-tokens=4", "--no-limits"});
  CHECK(decoding.code == 0);
  CHECK(contains(decoding.out, "a translation by"));
  CHECK(call_kette({"tape", model, "--text=a"})
            .says("--text: expected a language model, given a translation model"));
}

TEST_CASE("trace and tape say what they cannot do") {
  const auto complains = [](const std::vector<std::string>& words, int code,
                            const std::string& message) {
    const Outcome outcome = run_small(words);
    CAPTURE(outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.says(message));
  };
  complains({"tape", "--node=1000"}, 1, "--node: expected one from 0 to");
  complains({"tape", "--check=1000"}, 1, "--check: expected a node from 0 to");
  complains({"tape", "--src=a"}, 2, "--src, --tgt: expected both or neither, given one");
  complains({"trace", "--src=a", "--tgt=b"}, 2, "expected --model beside them, given none");
  complains({"trace", "--decode", "--prompt=a", "--no-limits"}, 2,
            "--prompt: expected --model beside it, given none");
  CHECK(call_kette({"trace", "--model=/nowhere", "--no-limits"}).says("/nowhere"));
}
