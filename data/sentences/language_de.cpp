// German. Nouns have capitals, so only function words show the start of a sentence.
#include "data/sentences/language.h"

namespace kette::sentences {

const Language& german() {
  static const Language language(
      "de",
      {
          // Titles before a name.
          {Stop::goes_on,
           "Dr Dres Prof Hr Hrn Fr Frl Dipl Mag Ing Lic Priv Doz Frhr Gebr St Kard Fa"},
          {Stop::goes_on, "Mr Mrs Ms Gen Sen Gov Lt Oblt Hptm Maj Col Sgt Capt Abg"},
          {Stop::goes_on, "med dent vet phil jur iur rer nat theol habil pol oec h.c agr mult"},
          // Words that need a continuation.
          {Stop::goes_on, "bzw vgl ggf ggfs evtl evt inkl exkl zzgl abzgl einschl ausschl sog gem"},
          {Stop::goes_on, "lt ca bspw beisp insb insbes resp vs betr bez bzgl wg zw zzt z.zt ugs"},
          {Stop::goes_on, "z.b d.h z.t z.z z.hd z.hdn z.tl i.d.r i.a i.allg i.w i.w.s i.e.s m.e"},
          {Stop::goes_on, "u.u o.g u.g s.g u.z u.zw i.h.v i.s.d i.s.v i.v.m a.d a.m b.w p.a v.a"},
          {Stop::goes_on, "d.i m.a.w n.b v.d a.a.o a.s i.r i.b"},
          {Stop::goes_on, "dt dtsch engl frz franz ital span russ poln tschech türk amerik brit"},
          {Stop::goes_on, "röm griech lat kath ev evang jüd österr schweiz bayer rhein westf"},
          {Stop::goes_on, "städt staatl gesetzl wiss techn kaufm kfm chem phys math mechan elektr"},
          {Stop::goes_on, "=geb gest verh ehem allg vorm nachm südl nördl östl westl mind urspr"},
          {Stop::goes_on, "eigtl versch gez hl sel ehrw =max =min =bes =gek gegr veröff hrsgg"},
          {Stop::goes_on, "Nr Nrn Art.-Nr Tel.-Nr Hl"},
          // Words that end a list, a name, a date.
          {Stop::may_end, "usw usf etc u.a u.ä u.a.m u.v.m u.v.a o.ä s.o s.u m.w m.b.h e.v a.g"},
          {Stop::may_end, "v.chr n.chr v.u.z n.u.z d.j d.m =chr u.s u.s.a"},
          {Stop::may_end, "Jan Feb Febr Mär Apr Jun Jul Aug Sep Sept Okt Nov Dez"},
          {Stop::may_end, "str -str jh jhd jhdt jhs mio mrd tsd std min sek hg hrsg verl ges"},
          {Stop::may_end,
           "co inc ltd corp bros jr sr jun sen abb abt abs aufl ausg anm anl bd bde"},
          {Stop::may_end, "bsp kap tel fax ziff rdnr rdn bl sp az ff forts zit übers ebd ders"},
          {Stop::may_end, "lfd vol bhf hbf pl qm qkm al a.a.o St.-Nr qu"},
          // Also normal words, unless a number follows.
          {Stop::before_number, "art tab fig pos par lit no Mo Di Mi Do Sa So ps rn"},
          {Stop::ends, "hm hmm pst psst brr grr pff"},
      },
      "der die das den dem des ein eine einen einem einer eines kein keine keinen dieser diese "
      "dieses diesen diesem jener jene jenes jeder jede jedes alle allen alles manche viele einige "
      "ich du er sie es wir ihr man mich mir dich dir ihn ihm uns euch ihnen mein meine dein deine "
      "sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere wer was wen wem wessen "
      "wie wo wann warum wieso weshalb woher wohin welche welcher welches und aber oder denn doch "
      "sondern sowie weder entweder wenn weil dass daß ob als obwohl obgleich während nachdem bevor "
      "bis seit seitdem damit falls sobald solange indem da so auch nur noch schon nun jetzt dann "
      "danach davor dabei dadurch dafür dagegen daher darum deshalb deswegen trotzdem dennoch "
      "jedoch allerdings außerdem zudem ferner schließlich zuletzt zunächst heute gestern irgendwo irgendwie irgendwann irgendwer irgendjemand irgendetwas "
      "hier dort nicht nie niemals immer oft manchmal vielleicht leider ja nein in im ins an "
      "am auf aus bei beim mit nach von vom vor zu zum zur über unter um für durch gegen ohne "
      "zwischen neben hinter trotz wegen laut ist sind war waren hat haben hatte hatten wird werden "
      "wurde wurden kann können konnte soll sollte muss muß will darf mag hätte wäre würde bin bist "
      "habe hast etwas nichts niemand jemand beide mehr weniger sehr ganz dazu davon darauf daran "
      "darin dieselbe derselbe insgesamt",
      "und oder aber denn sondern sowie weil dass daß wenn als ob obwohl während nachdem bevor "
      "damit falls sobald indem wobei wodurch sodass der die das den dem welche welcher welches",
      "der die das dem den des am im vom zum zur beim ins ans ihr ihre ihren ihrem "
      "ihrer sein seine seinen seinem seiner mein meine meinen meinem meiner unser unsere unseren "
      "unserem unserer dein deine deinen deinem deiner ein eine einen einem einer jeder jede jedes "
      "jeden jedem dieser diese dieses diesen diesem");
  return language;
}

}  // namespace kette::sentences
