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
      {"happy", "glücklich", person | telling, true},
      {"sad", "traurig", person | telling, true},
      {"tired", "müde", person | animal | telling, false, "müd"},
      {"sick", "krank", person | animal | telling},
      {"hungry", "hungrig", person | animal | telling},
      {"smart", "klug", person | animal, true, "", "klüger", "klügst"},
      {"strong", "stark", person | animal, true, "", "stärker", "stärkst"},
      {"lazy", "faul", person | animal, true},
      {"brave", "mutig", person | animal, true},
      {"curious", "neugierig", person | animal | telling, true},
      {"polite", "höflich", person, true},
      {"funny", "lustig", person | animal, true},
      {"famous", "berühmt", gendered, true},
      {"rich", "reich", gendered, true},
      {"poor", "arm", gendered, true, "", "ärmer", "ärmst"},
      {"fat", "dick", animal, true},

      // Of things
      {"big", "groß", animal | wares | place | opening, true, "", "größer", "größt"},
      {"small", "klein", animal | wares | place | opening, true},
      {"new", "neu", wares | text | building | room | opening | transport | telling, true, "",
       "neuer", "neuest"},
      {"beautiful", "schön", wares | place | drawable, true},
      {"ugly", "hässlich", wares | building, true},
      {"expensive", "teuer", wares | food | telling, true, "teur", "teurer"},
      {"cheap", "billig", wares | food | telling, true},
      {"heavy", "schwer", heavy | telling, true},
      {"broken", "kaputt", breakable | telling},
      {"empty", "leer", hollow | telling},
      {"clean", "sauber", washable | room | telling, true},
      {"dirty", "schmutzig", washable | room | coloured | telling, true},
      {"long", "lang", extent | telling, true, "", "länger", "längst"},
      {"short", "kurz", extent | telling, true, "", "kürzer", "kürzest"},
      {"interesting", "interessant", text | telling, true},
      {"boring", "langweilig", text | telling, true},
      {"red", "rot", coloured},
      {"blue", "blau", coloured},
      {"green", "grün", coloured},
      {"yellow", "gelb", coloured},
      {"black", "schwarz", coloured | animal},
      {"white", "weiß", coloured | animal},

      // Of food and places
      {"fresh", "frisch", fresh | telling},
      {"sweet", "süß", sweet | telling, true},
      {"delicious", "lecker", food | telling, true},
      {"hot", "heiß", served | telling, true},
      {"cold", "kalt", served | telling, true, "", "kälter", "kältest"},
      {"quiet", "ruhig", place, true},
      {"dark", "dunkel", room | outdoors, true, "dunkl", "dunkler"},
      {"modern", "modern", building | room | device, true},
  };
  return table;
}

}  // namespace kette::bundled
