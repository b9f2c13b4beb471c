// What `kette bench` measures, and on what.
#include <doctest/doctest.h>

#include <set>

#include "autograd/all_ops.h"
#include "cli/bench/bench_batches.h"
#include "cli/device_limits.h"
#include "tests/cli/call_kette.h"
#include "tests/devices.h"

using namespace kette;
using namespace kette::cli;
using namespace kette::testing;

namespace {

/// How often each of the ids 3 to 102 is drawn in 20,000 draws.
std::vector<int> counts(const std::string& kind) {
  const BenchIds ids(kind, 3, 103);
  Random random(1);
  std::vector<int> result(100);
  for (int i = 0; i < 20000; ++i) ++result.at(static_cast<std::size_t>(ids.draw(random) - 3));
  return result;
}

}  // namespace

TEST_CASE("bench: ids by Zipf's law are as frequent as words, uniform ones all alike") {
  const std::vector<int> zipf = counts("zipf"), uniform = counts("uniform");
  const double sum = 5.187;  // 1 + 1/2 + ... + 1/100
  for (const std::size_t rank : {1, 2, 5, 10}) {
    CAPTURE(rank);
    CHECK(zipf[rank - 1] == doctest::Approx(20000 / sum / static_cast<double>(rank)).epsilon(0.1));
    CHECK(uniform[rank - 1] == doctest::Approx(200).epsilon(0.25));
  }
  CHECK_THROWS_WITH_AS(BenchIds("zipf", 3, 3),
                       "bench: expected a vocabulary of more than 3 rows, given 3", Error);
}

TEST_CASE("bench: random sentences and windows have frequent tokens") {
  BenchBatchOptions options;
  const Batch batch = make_bench_batches(options, 1).front();
  const auto share_of_first = [](const std::vector<std::int32_t>& ids, std::int32_t first) {
    return static_cast<double>(std::count(ids.begin(), ids.end(), first)) /
           static_cast<double>(ids.size());
  };
  CHECK(share_of_first(batch.source, SpecialTokens{}.end + 1) > 0.05);
  const Batch windows = random_windows(BenchIds("zipf", 0, 1000), 64, 8, 1, 1).front();
  CHECK(share_of_first(windows.target_in, 0) > 0.05);
  options.ids = "uniform";
  CHECK(share_of_first(make_bench_batches(options, 1).front().source, SpecialTokens{}.end + 1) <
        0.01);
}

TEST_CASE("bench: the limit of products is measured on normal values") {
  for (const Device device : test_devices()) {
    const auto values = normal_values({1 << 7, 1 << 7}, DType::bf16, device).values<float>();
    double sum = 0, squares = 0;
    for (const float value : values) {
      sum += static_cast<double>(value);
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    const auto count = static_cast<double>(values.size());
    CHECK(std::abs(sum / count) < 0.03);
    CHECK(squares / count == doctest::Approx(1).epsilon(0.05));
  }
}

TEST_CASE("bench: generating on a GPU is held against the rate at which it copies") {
  if (test_devices().size() == 1) return skip_cuda();
  const Outcome bench = call_kette(
      {"bench",    "generate", "--device", "cuda", "--preset", "char-cpu", "--layers",  "1",
       "--width",  "16",       "--hidden", "32",   "--heads",  "2",        "--context", "16",
       "--prompt", "2",        "--tokens", "3",    "--runs",   "1",        "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  const JsonView json = bench.json();
  CHECK(json["copy_gb_per_second"].get<double>() > 0);
  CHECK(json["copy_share"].get<double>() > 0);
}

TEST_CASE("bench: translate forces the lengths of random translations") {
  const Outcome bench = call_kette(
      {"bench", "translate", "--sentences", "4", "--steps", "1", "--warmup", "0", "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  const JsonView json = bench.json();
  CHECK(json["target_tokens_per_second"].get<double>() /
            json["sentences_per_second"].get<double>() ==
        doctest::Approx(14));
}

TEST_CASE("bench: train, also with its own batches written and read") {
  const SmallModel& small = SmallModel::get();
  const std::string batches = small.file("batches.jsonl");
  const std::vector<std::string> shape = {"bench",    "train",
                                          "--steps",  "2",
                                          "--warmup", "1",
                                          "--json",   "--width",
                                          "16",       "--hidden",
                                          "32",       "--heads",
                                          "2",        "--vocab",
                                          "100",      "--encoder-layers",
                                          "1",        "--decoder-layers",
                                          "1",        "--tokens",
                                          "200"};
  auto words = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = shape;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Outcome written = call_kette(
      words({"--src", small.file("train.en"), "--tgt", small.file("train.de"), "--tokenizer",
             small.model() + "/tokenizer.model", "--write-batches", batches}));
  CAPTURE(written.err);
  REQUIRE(written.code == 0);
  const JsonView first = written.json();
  for (const char* key : {"target_tokens_per_second", "source_tokens_per_second", "gflops",
                          "sgemm_gflops", "sgemm_share", "peak_rss_mib"}) {
    CAPTURE(key);
    CHECK(first[key].get<double>() > 0);
  }
  const JsonView second = call_kette(words({"--batches", batches})).json();
  CHECK(second["loss_last"] == first["loss_last"]);
  CHECK(call_kette(words({})).code == 0);
  write_file(batches, "{\"source\": [[5, 6]], \"target\": [[100]]}\n");
  const Outcome bad = call_kette(words({"--batches", batches}));
  CHECK(bad.code == 1);
  CHECK(bad.says(batches + ":1: expected a batch"));
}

TEST_CASE("bench: every op of the table is timed") {
  const Outcome bench = call_kette({"bench", "ops", "--tokens", "24", "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  const JsonView json = bench.json();
  CHECK(json["ops"].size() == kette::all_ops().size());
}

TEST_CASE("bench: every matrix product of a step is timed, and OpenBLAS beside it") {
  const Outcome bench =
      call_kette({"bench", "products", "--preset", "tiny", "--encoder-layers", "2",
                  "--decoder-layers", "1", "--tokens", "24", "--runs", "1", "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  const JsonView json = bench.json();
  std::int64_t count = 0;
  for (const JsonView& product : json["products"]) {
    count += product["count"].get<std::int64_t>();
    CHECK(product["gflops"].get<double>() > 0);
    CHECK(product["openblas_gflops"].get<double>() > 0);
  }
  // Forward and two backward of 4 maps in an encoder's layer, 7 in a decoder's, and the output.
  CHECK(count == 3 * (2 * 4 + 7 + 1));
  CHECK(json["seconds"].get<double>() > 0);
}

TEST_CASE("bench: a tokenizer is timed on a text") {
  const ScratchFolder folder;
  const std::string text = (folder / "text").string();
  write_file(folder / "text", "The weather and the water.\n");
  const std::string tiny = source_folder().string() + "/tests/fixtures/gpt2_tiny";
  const Outcome bench = call_kette({"bench", "tokenize", "--tokenizer", tiny, "--text", text,
                                    "--steps", "1", "--warmup", "0", "--json"});
  CAPTURE(bench.err);
  REQUIRE(bench.code == 0);
  const JsonView json = bench.json();
  CHECK(json["bytes"] == 27);
  CHECK(json["tokens"].get<int>() < 27);
  CHECK(json["tokens_per_second"].get<double>() > 0);
  CHECK(json["megabytes_per_second"].get<double>() > 0);

  CHECK(call_kette({"bench", "tokenize", "--tokenizer", "byte", "--text", text}).code == 0);
  CHECK(call_kette({"bench", "tokenize", "--tokenizer", "byte"}).code == 2);
  const Outcome bad = call_kette({"bench", "tokenize", "--tokenizer", text, "--text", text});
  CHECK(bad.code == 2);
  CHECK(bad.says("--tokenizer: expected byte, KIND:DIR"));
}
