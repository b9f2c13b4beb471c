// French.
#include "data/sentences/language.h"

namespace kette::sentences {

const Language& french() {
  static const Language language(
      "fr",
      {
          // Titles before a name.
          {Stop::goes_on, "M MM Mr Mrs Mme Mmes Mlle Mlles Mgr Me Mes Dr Drs Pr Prof St Ste Sts"},
          {Stop::goes_on, "Gal Gén Cdt Cne Lt Adj Sgt Ets Éts LL.AA.II.RR S.M S.E R.P"},
          // Words that need a continuation.
          {Stop::goes_on,
           "p.ex c.-à-d c.à.d c-à-d càd cf env av apr vs resp n.b p.-s ca =ex n° nos"},
          // Words that end a list, a name, a date.
          {Stop::may_end, "etc cie ltd inc corp co sté jr sr s.a s.a.r.l j.-c ap.j.-c av.j.-c"},
          {Stop::may_end, "janv févr avr juil sept oct nov déc bd boul rte pl imp tél télécop"},
          {Stop::may_end, "éd ed coll chap hab dép dir trad suiv ibid id op.cit cit loc réf"},
          {Stop::may_end, "min sec hr km kg cm mm pp sq sqq ms mss fasc biblio abrév"},
          // Also normal words, unless a number follows.
          {Stop::before_number, "art fig vol no p par ex lib ch sect alin pl tab ann"},
          {Stop::ends, "hm hmm pst psst brr grr pff zzz"},
      },
      "le la les l un une des du de d ce cet cette ces c il elle ils elles on je j tu nous vous mon "
      "ma mes ton ta tes son sa ses notre nos votre vos leur leurs qui que qu quoi quand où comment "
      "pourquoi quel quelle quels quelles combien et mais ou or donc car ni si lorsque puisque "
      "parce bien comme alors ensuite puis enfin ainsi aussi cependant pourtant toutefois néanmoins "
      "d'abord en dans sur sous avec sans pour par à au aux chez vers entre depuis pendant avant "
      "après selon malgré contre voici voilà est sont était étaient a ont avait avaient fut ne n y "
      "non oui tout tous toute toutes chaque aucun aucune plusieurs certains certaines beaucoup peu "
      "plus moins très trop ici là hier aujourd demain maintenant celui celle ceux celles cela ça "
      "rien personne quelques deux trois",
      "et ou mais car donc ni or que qui dont où quand si lorsque puisque parce comme alors tandis "
      "afin pour sans");
  return language;
}

}  // namespace kette::sentences
