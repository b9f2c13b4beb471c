// `kette bench products`: the time of every matrix product of a training step's linear maps, by Kette's
// own kernels and by OpenBLAS in turn.
#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "cli/architecture.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/host.h"
#include "cli/show.h"
#include "models/autoregressive_model.h"
#include "tensor/kernels.h"
#include "tensor/machine.h"
#include "tensor/stopwatch.h"

namespace kette::cli {
namespace {

struct BenchProductsOptions {
  CommonOptions common;
  ArchitectureOptions architecture;
  std::int64_t tokens = 4096;
  std::int64_t runs = 7;
};

/// C [m, n] = op(A) op(B) with k terms in a sum.
struct ProductSize {
  std::int64_t m, n, k;
  bool transpose_a, transpose_b;

  auto operator<=>(const ProductSize&) const = default;
  double operations() const {
    return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  MatmulArgs arguments(const Tensor& a, const Tensor& b, const Tensor& c) const {
    MatmulArgs args;
    args.dtype = DType::f32;
    args.a = a.raw();
    args.b = b.raw();
    args.c = c.raw();
    args.m = m;
    args.n = args.ldc = n;
    args.k = k;
    args.transpose_a = transpose_a;
    args.transpose_b = transpose_b;
    args.lda = transpose_a ? m : k;
    args.ldb = transpose_b ? k : n;
    return args;
  }
};

/// Of a step over so many tokens, and how often each comes: y = x W^T, dx = dy W, dW = dy^T x.
std::map<ProductSize, std::int64_t> products_of(Model& model, std::int64_t tokens) {
  std::map<ProductSize, std::int64_t> products;
  const auto add = [&](const Linear& map) {
    const std::int64_t out = map.weight.value().rows(), in = map.weight.value().width();
    ++products[{tokens, out, in, false, true}];
    ++products[{tokens, in, out, false, false}];
    ++products[{out, in, tokens, true, false}];
  };
  model.each_linear([&](Linear& map, const auto&) { add(map); });
  if (const auto* writer = dynamic_cast<const AutoregressiveModel*>(&model)) add(writer->output());
  return products;
}

struct Rates {
  double own, blas;  ///< GFLOP/s, medians
};

Rates measure(const ProductSize& size, std::int64_t runs, int threads) {
  constexpr double kOperations = 2e8;  // of a run at least, so that a clock can tell
  const Tensor a = Tensor::full({size.m * size.k}, 0.5), b = Tensor::full({size.k * size.n}, 0.25),
               c = Tensor::full({size.m * size.n}, 0);
  const MatmulArgs args = size.arguments(a, b, c);
  const auto repeats = static_cast<std::int64_t>(kOperations / size.operations()) + 1;
  const auto rate_of = [&](const auto& multiply) {
    const Stopwatch watch;
    for (std::int64_t i = 0; i < repeats; ++i) multiply();
    return static_cast<double>(repeats) * size.operations() / watch.seconds() / 1e9;
  };
  std::vector<double> own, blas;
  for (std::int64_t run = 0; run <= runs; ++run) {
    const double of_own = rate_of([&] { kernels::matmul(CpuExec{}, args); }),
                 of_blas = rate_of([&] { multiply_by_blas(args, threads); });
    if (run == 0) continue;  // to warm up
    own.push_back(of_own);
    blas.push_back(of_blas);
  }
  return {median(own), median(blas)};
}

void run(const BenchProductsOptions& o) {
  const int threads = use_threads(o.common);
  o.architecture.check();
  const std::unique_ptr<Model> model = o.architecture.config()->make_model();
  model->allocate(DType::f32, {}, Gradients::none);
  Table table{.key = "products",
              .columns = {{.key = "m", .title = "m", .digits = whole()},
                          {.key = "n", .title = "n", .digits = whole()},
                          {.key = "k", .title = "k", .digits = whole()},
                          {.key = "transpose", .title = "transpose"},
                          {.key = "count", .title = "count", .digits = whole()},
                          {.key = "gflops", .title = "own GFLOP/s", .digits = decimals(1)},
                          {.key = "openblas_gflops", .title = "OpenBLAS", .digits = decimals(1)}}};
  double own_seconds = 0, blas_seconds = 0;
  to_stdout() << text("%-8s %-8s %-8s %-9s %-6s %12s %12s %7s\n", "m", "n", "k", "transpose",
                      "count", "own GFLOP/s", "OpenBLAS", "ratio");
  const auto line = [](const ProductSize& size) {
    return std::string(size.transpose_a ? "A" : "") + (size.transpose_b ? "B" : "");
  };
  for (const auto& [size, count] : products_of(*model, o.tokens)) {
    check_interrupt();
    const Rates rates = measure(size, o.runs, threads);
    const double operations = static_cast<double>(count) * size.operations() / 1e9;
    own_seconds += operations / rates.own;
    blas_seconds += operations / rates.blas;
    to_stdout() << text("%-8lld %-8lld %-8lld %-9s %-6lld %12.1f %12.1f %7.2f\n",
                        static_cast<long long>(size.m), static_cast<long long>(size.n),
                        static_cast<long long>(size.k), line(size).c_str(),
                        static_cast<long long>(count), rates.own, rates.blas,
                        rates.own / rates.blas)
                << std::flush;
    table.rows.push_back({{size.m, size.n, size.k, line(size), count, rates.own, rates.blas}});
  }
  to_stdout() << text("All of a step: %.1f ms, by OpenBLAS %.1f ms, ratio %.2f\n",
                      1e3 * own_seconds, 1e3 * blas_seconds, blas_seconds / own_seconds);
  Report report = Report::of_facts({{"preset", o.architecture.preset()},
                                    {"tokens", o.tokens},
                                    {"threads", threads},
                                    {"blas_core", blas_core()},
                                    {"seconds", own_seconds},
                                    {"openblas_seconds", blas_seconds}});
  report.table(std::move(table), kJson | kPage);
  show(report, o.common);
}

void add_bench_products_options(CLI::App& command) {
  auto options = std::make_shared<BenchProductsOptions>();
  OptionGroup group(command, "Sizes");
  options->architecture.add_preset_option(group, all_presets(), "Linear maps of this preset");
  group.number("--tokens", options->tokens, at_least(1), "Rows");
  group.number("--runs", options->runs, at_least(1), "Timed runs of each, in turn");
  options->architecture.add_field_options(command);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command bench_products_command = {
    "products", "Matrix products of a training step, and OpenBLAS beside them",
    add_bench_products_options};

}  // namespace kette::cli
