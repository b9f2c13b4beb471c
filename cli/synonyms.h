// Names that other programs have for options of this one.
#pragma once

#include <string>
#include <vector>

namespace kette::cli {

/// What stands here for names of other programs: "--steps", "--device cuda".
struct Synonyms {
  const char *option, *names;  ///< names: with spaces between them, without dashes in front
};
const std::vector<Synonyms>& all_synonyms();

/// What was probably meant by an unknown option: the same with dashes for underscores, a synonym, or the nearest name, or
/// "". Names are with dashes in front. known: the options of the command.
std::string meant_option(const std::string& name, const std::vector<std::string>& known);

}  // namespace kette::cli
