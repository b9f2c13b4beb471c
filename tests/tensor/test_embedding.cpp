// Embeddings of no entry.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "autograd/ops/embedding.h"
#include "autograd/ops/ids.h"
#include "autograd/variable.h"
#include "tests/devices.h"

using namespace kette;

TEST_CASE("an embedding of no entry is 0 whatever the table holds, on every device") {
  const Tensor ids = Tensor::from(std::vector<std::int32_t>{kNoEntry, 1, kNoEntry});
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
      CAPTURE(name_of(dtype));
      for (const std::int64_t width : {3, 64}) {  // within a pack, and in whole packs
        CAPTURE(width);
        std::vector<double> entries(static_cast<std::size_t>(2 * width), NAN), expected;
        for (std::int64_t j = 0; j < width; ++j) entries[width + j] = 2;
        for (const double value : {0.0, 6.0, 0.0}) expected.insert(expected.end(), width, value);
        const Tensor table = Tensor::from(entries, {2, width}).to(dtype).to(device);
        CHECK(embedding(table, ids, 3, true).value().values<double>() == expected);
      }
    }
  }
}

TEST_CASE("an embedding of no entry reads nothing of a table without entries, on every device") {
  const Tensor ids = Tensor::from(std::vector<std::int32_t>{kNoEntry, kNoEntry});
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Tensor table = Tensor::empty({0, 4096}, DType::f32, device);
    const Tensor y = embedding(table, ids, 1, true).value();
    CHECK(y.shape() == Shape{2, 4096});
    CHECK(y.values<float>() == std::vector<float>(2 * 4096, 0.0f));
  }
}
