// The class of the tokenizer that transformers takes for a folder. Without a tokenizer.json it alone says how a
// text is cut: one vocabulary may be of several classes.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace kette {

/// Throws if a folder names a class, in tokenizer_config.json or else in config.json, that is none of `allowed`.
void expect_tokenizer_class(const std::filesystem::path& folder,
                            std::initializer_list<std::string_view> allowed);

}  // namespace kette
