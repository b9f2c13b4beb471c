// The sentence patterns: each builds one kind of sentence in both languages at once.
#pragma once

#include <string>
#include <vector>

#include "data/bundled/sampler.h"

namespace kette::bundled {

/// A sentence in both languages, without its capital and its final mark.
struct Draft {
  std::string english, german;
  char mark = '.';
};

struct Pattern {
  const char* name;
  unsigned weight;  // share of all sentences, in thousandths
  Draft (*draft)(Sampler&);
};

/// Marks words that a pattern itself adds in both languages (because, weil), and adds a space.
std::string said_by_both(const char* words);

/// All patterns; their weights add up to 1000.
const std::vector<Pattern>& patterns();

// One clause (patterns_simple.cpp)
Draft statement(Sampler& sampler);
Draft yes_no_question(Sampler& sampler);
Draft subject_question(Sampler& sampler);
Draft object_question(Sampler& sampler);
Draft adverb_question(Sampler& sampler);
Draft description(Sampler& sampler);
Draft comparison(Sampler& sampler);
Draft identity(Sampler& sampler);
Draft imperative(Sampler& sampler);
Draft passive(Sampler& sampler);
Draft preference(Sampler& sampler);
Draft existence(Sampler& sampler);

// Several clauses (patterns_complex.cpp)
Draft reason(Sampler& sampler);
Draft reason_in_the_thing(Sampler& sampler);
Draft report(Sampler& sampler);
Draft indirect_question(Sampler& sampler);
Draft condition(Sampler& sampler);
Draft condition_of_the_thing(Sampler& sampler);
Draft relative_subject(Sampler& sampler);
Draft relative_object(Sampler& sampler);
Draft intention(Sampler& sampler);
Draft purpose(Sampler& sampler);
Draft two_people(Sampler& sampler);
Draft two_deeds(Sampler& sampler);

}  // namespace kette::bundled
