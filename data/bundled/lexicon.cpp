#include "data/bundled/lexicon.h"

#include "tensor/error.h"

namespace kette::bundled {
namespace {

template <class Row, class Name>
const Row& find(const std::vector<Row>& table, std::string_view english, Name name) {
  for (const Row& row : table) {
    if (name(row) == english) return row;
  }
  fail("lexicon: expected a word of the bundled corpus, given \"", english, "\"");
}

std::string with_particle(const EnglishVerb& verb) {
  return verb.particle.empty() ? verb.base : verb.base + " " + verb.particle;
}

}  // namespace

const Noun& noun(std::string_view english) {
  return find(nouns(), english, [](const Noun& row) { return row.singular; });
}

const Adjective& adjective(std::string_view english) {
  return find(adjectives(), english, [](const Adjective& row) { return row.english; });
}

const Verb& verb(std::string_view english) {
  return find(verbs(), english, [](const Verb& row) {
    const std::string name = with_particle(row.english);
    return row.preposition ? name + " " + row.preposition->english : name;
  });
}

const Modal& modal(std::string_view english) {
  return find(modals(), english, [](const Modal& row) { return with_particle(row.english); });
}

}  // namespace kette::bundled
