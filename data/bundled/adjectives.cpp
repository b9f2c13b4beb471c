// The adjectives: English, German, the kinds of noun they fit, whether they have degrees, and the
// German forms that change their stem (dunkel, dunkl-e; groß, größer, größt-).
#include <vector>

#include "data/bundled/lexicon.h"

namespace kette::bundled {

const std::vector<Adjective>& adjectives() {
  using namespace kind;
  constexpr Kinds wares = clothing | portable | vehicle | furniture;
  static const std::vector<Adjective> table = {
      // Of people and animals
      {"old", "alt", person | animal | wares | building, true, "", "älter", "ältest"},
      {"young", "jung", person | animal, true, "", "jünger", "jüngst"},
      {"friendly", "freundlich", person | animal, true},
      {"happy", "glücklich", person, true},
      {"sad", "traurig", person, true},
      {"tired", "müde", person | animal, false, "müd"},
      {"sick", "krank", person | animal},
      {"hungry", "hungrig", person | animal},
      {"smart", "klug", person | animal, true, "", "klüger", "klügst"},
      {"strong", "stark", person | animal, true, "", "stärker", "stärkst"},
      {"lazy", "faul", person | animal, true},
      {"brave", "mutig", person | animal, true},
      {"curious", "neugierig", person | animal, true},
      {"polite", "höflich", person, true},
      {"funny", "lustig", person | animal, true},
      {"famous", "berühmt", gendered, true},
      {"rich", "reich", gendered, true},
      {"poor", "arm", gendered, true, "", "ärmer", "ärmst"},
      {"fat", "dick", animal, true},

      // Of things
      {"big", "groß", animal | wares | place | opening, true, "", "größer", "größt"},
      {"small", "klein", animal | wares | place | opening, true},
      {"new", "neu", wares | text | building | room | opening | transport, true, "", "neuer",
       "neuest"},
      {"beautiful", "schön", wares | place | drawable, true},
      {"ugly", "hässlich", wares | building, true},
      {"expensive", "teuer", wares | food, true, "teur", "teurer"},
      {"cheap", "billig", wares | food, true},
      {"heavy", "schwer", heavy, true},
      {"broken", "kaputt", breakable},
      {"empty", "leer", hollow},
      {"clean", "sauber", washable | room, true},
      {"dirty", "schmutzig", washable | room | coloured, true},
      {"long", "lang", extent, true, "", "länger", "längst"},
      {"short", "kurz", extent, true, "", "kürzer", "kürzest"},
      {"interesting", "interessant", text, true},
      {"boring", "langweilig", text, true},
      {"red", "rot", coloured},
      {"blue", "blau", coloured},
      {"green", "grün", coloured},
      {"yellow", "gelb", coloured},
      {"black", "schwarz", coloured | animal},
      {"white", "weiß", coloured | animal},

      // Of food and places
      {"fresh", "frisch", fresh},
      {"sweet", "süß", sweet, true},
      {"delicious", "lecker", food, true},
      {"hot", "heiß", served, true},
      {"cold", "kalt", served, true, "", "kälter", "kältest"},
      {"quiet", "ruhig", place, true},
      {"dark", "dunkel", room | outdoors, true, "dunkl", "dunkler"},
      {"modern", "modern", building | room | device, true},
  };
  return table;
}

}  // namespace kette::bundled
