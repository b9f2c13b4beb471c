#include "names.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

namespace emulator {
namespace {

using Names =
    std::map<std::uintptr_t, std::string>;  // mangled, by address from the library's start

/// Of the functions in an ELF file for this machine.
Names names_in(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  Names names;
  if (file.size() < sizeof(Elf64_Ehdr)) return names;
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(file.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file.data() + header.e_shoff);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr& section = sections[i];
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(file.data() + section.sh_offset);
    const char* strings = file.data() + sections[section.sh_link].sh_offset;
    for (std::uint64_t s = 0; s < section.sh_size / sizeof *symbols; ++s) {
      if (ELF64_ST_TYPE(symbols[s].st_info) != STT_FUNC) continue;
      names[symbols[s].st_value] = strings + symbols[s].st_name;
    }
  }
  return names;
}

/// "void kette::(anonymous namespace)::fill<float>(long)" -> "fill"
std::string bare(const std::string& mangled) {
  int status = 0;
  char* readable = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = readable ? readable : mangled;
  std::free(readable);
  for (const char* unnamed = "(anonymous namespace)::"; name.find(unnamed) != std::string::npos;) {
    name.erase(name.find(unnamed), std::string(unnamed).size());
  }
  name.erase(std::min(name.find_first_of("<("), name.size()));
  return name.substr(name.find_last_of(": ") + 1);
}

std::string look_up(const void* function) {
  Dl_info library{};
  if (dladdr(function, &library) == 0) return "kernel";
  static const Names names = names_in(library.dli_fname);
  const auto found = names.find(reinterpret_cast<std::uintptr_t>(function) -
                                reinterpret_cast<std::uintptr_t>(library.dli_fbase));
  return found == names.end() ? "kernel of a stripped library" : bare(found->second);
}

}  // namespace

const std::string& name_of(const void* function) {
  static std::map<const void*, std::string> known;
  const auto [entry, is_new] = known.try_emplace(function);
  if (is_new) entry->second = look_up(function);
  return entry->second;
}

}  // namespace emulator
