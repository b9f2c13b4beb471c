// English.
#include "data/sentences/language.h"

namespace kette::sentences {

const Language& english() {
  static const Language language(
      "en",
      {
          // Titles before a name.
          {Stop::goes_on,
           "Mr Mrs Ms Mx Messrs Mme Mmes Mlle Dr Drs Prof Profs Rev Revd Fr Msgr Hon"},
          {Stop::goes_on,
           "Pres Gov Govs Sen Sens Rep Reps Amb Atty Supt Insp Det Ald Hr Ste Sra Srta"},
          {Stop::goes_on, "Gen Col Maj Capt Cpt Cmdr Cdr Comdr Lt Sgt Cpl Pvt Pfc Adm Brig"},
          {Stop::goes_on, "Mt Mts Ft Pt"},
          // Words that need a continuation.
          {Stop::goes_on, "vs e.g eg i.e ie cf viz ca approx incl excl esp w.r.t resp aka a.k.a"},
          {Stop::goes_on, "nos pp pgs figs vols chs eqs eq n° n.b"},
          // Words that end a list, a name, an address, a time.
          {Stop::may_end, "etc et.al =al ibid co cos corp inc ltd bros jr sr esq mfg intl natl"},
          {Stop::may_end, "st ave blvd rd sq hwy pkwy apt bldg dept univ assn assoc est ext"},
          {Stop::may_end, "a.m p.m a.d b.c b.c.e c.e ph.d m.d d.c u.s u.k u.n e.u u.s.a u.s.s.r"},
          {Stop::may_end, "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"},
          {Stop::may_end, "Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun"},
          {Stop::may_end,
           "Ala Ariz Ark Calif Colo Conn Fla Ga Ill Ind Kan Ky La Mass Md Mich Minn"},
          {Stop::may_end, "Miss Mo Mont Neb Nev Okla Ore Pa Penn Tenn Tex Va Vt Wash Wis Wyo"},
          {Stop::may_end, "ft hr hrs min mins secs lb lbs oz yd yds gal mph kph km kg cm mm sqft"},
          {Stop::may_end, "ed eds trans vol repr suppl abbr orig max avg misc temp tel"},
          // Also normal words, unless a number follows.
          {Stop::before_number,
           "no p art arts fig ch sec sect eq ex par para op pt pg ver lit div"},
          {Stop::ends, "hm hmm mm mmm pst psst shh sh brr grr tsk pfft zzz tvs pcs cds dvds"},
      },
      "the a an this that these those there here it its he she we they i you his her their our my "
      "your who what when where why how which whose whom and but or nor yet so because if although "
      "though while since unless until after before as at by for from in into of on onto over "
      "through to under upon with within without about above across against along among around "
      "between during despite is are was were do does did has have had can could should would "
      "shall must isn aren wasn weren don doesn didn hasn haven hadn couldn shouldn wouldn not no "
      "yes oh well now then thus hence however therefore moreover meanwhile nevertheless instead "
      "also still even just only perhaps maybe please let all any both each either every few many "
      "more most much neither none nobody nothing one some someone something such several other "
      "another everyone everybody everything two three once again today yesterday tomorrow later "
      "finally",
      "and or but nor so yet because which who whom whose that if when while where whereas although "
      "though unless until since before after than as");
  return language;
}

}  // namespace kette::sentences
