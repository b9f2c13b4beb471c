// A whole safetensors file, byte for byte: every tensor that can be read is, is written, and comes
// back the same.
#include <cstring>

#include "data/files/safetensors.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

using Tensors = std::vector<std::pair<std::string, Tensor>>;

std::vector<std::string> seeds() {
  const Tensor numbers = Tensor::from(std::vector<float>{1, -2, 0.5f, 1e30f, 0, 3}, {2, 3});
  const Tensor ids = Tensor::from(std::vector<std::int32_t>{7, 8, -9});
  const auto file = scratch() / "seed.safetensors";
  const auto written = [&](const Tensors& tensors, Checksum checksum) {
    write_safetensors(file, tensors, {{"step", "12"}}, checksum);
    const std::string header = header_of(file);
    std::string data;
    for (const auto& [name, tensor] : tensors) {
      data.append(static_cast<const char*>(tensor.raw()), tensor.bytes());
    }
    return safetensors(header, data);
  };
  return {written({{"weights", numbers}, {"ids", ids}}, Checksum::none),
          written({{"half", numbers.to(DType::bf16)}}, Checksum::crc32),
          written({{"empty", Tensor::zeros({0, 4})}}, Checksum::none),
          safetensors(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
                      R"("b":{"dtype":"I64","shape":[1],"data_offsets":[4,12]}})",
                      std::string("\0\x3C\0\xC0\x05\0\0\0\0\0\0\0", 12)),
          fixture("python.safetensors")};
}

Tensors readable(const SafetensorsFile& file) {
  Tensors tensors;
  for (const std::string& name : file.names()) {
    try {
      tensors.emplace_back(name, file.tensor(name));
    } catch (const Error&) {  // of a type that Kette has no use for
    }
  }
  return tensors;
}

void read(std::string_view input) {
  const SafetensorsFile file = SafetensorsFile::open(put("file", input));
  const Tensors tensors = readable(file);
  must("a file that can be written and read again", [&] {
    const auto copy = scratch() / "copy";
    write_safetensors(copy, tensors, file.metadata(), Checksum::crc32);
    const SafetensorsFile again = SafetensorsFile::open(copy, Checksum::crc32);
    expect(again.names().size() == tensors.size(), "as many tensors as were written");
    for (const auto& [name, tensor] : tensors) {
      const Tensor same = again.tensor(name);
      expect(same.shape() == tensor.shape() && same.dtype() == tensor.dtype() &&
                 std::memcmp(same.raw(), tensor.raw(), tensor.bytes()) == 0,
             "the tensor that was written");
    }
  });
}

}  // namespace

const Target safetensors_file = {"safetensors-file", seeds, read};

}  // namespace kette::fuzz
