#include "decode/search_source.h"

#include "decode/tree_parser.h"

namespace kette {

SourceIds search_source(const Ensemble& model, const SharedTokenizer& tokenizer,
                        const std::string& text, const std::string& language,
                        SearchOptions& options) {
  if (tokenizer->writes() == Writes::text) {
    return {.ids = tokenizer->encode_source(text, language)};
  }
  const TreeTokenizer::Shared trees = tree_tokenizer_of(tokenizer, "search_source");
  options.extra_length = parse_options().extra_length;
  TreeSource read = tree_source(model, *trees, text, options);
  KETTE_CHECK(read.fault.empty(), "parse: ", read.fault);
  if (read.ids.empty()) return {};
  const auto constraint =
      std::make_shared<TreeConstraint>(trees, std::ssize(read.words), read.longest);
  return {.ids = std::move(read.ids), .constraint = constraint};
}

SearchOptions usual_options(const Tokenizer& tokenizer) {
  return tokenizer.writes() == Writes::trees ? parse_options() : SearchOptions();
}

}  // namespace kette
