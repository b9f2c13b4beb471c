// The thresholds come from public corpora (English with German and French): captions (Multi30k),
// everyday sentences (Tatoeba), talks (TED), parliament (Europarl), news (News Commentary,
// newstest, FLORES), package descriptions, help, manual pages and a game. Each is above the share
// in their clean, raw versions and below that in versions known to be bad.
#include "data/checks/oddity.h"

namespace kette {

const std::vector<OddityInfo>& oddities() {
  static const std::vector<OddityInfo> all = {
      // Set phrases repeat: 1.1 % of Europarl, 1.0 % of a TED test, 0.4 % of TED, below 0.3 %
      // elsewhere.
      {Oddity::duplicate, "duplicate", "repeat an earlier pair", 0.05},
      // None in any of them: publishers remove these. Training skips them anyway.
      {Oddity::empty, "empty", "have a side without text", 0.01},
      // Names and headlines: 0.3 % of News Commentary, 0.1 % of Europarl and TED. They teach a
      // model to copy: untranslated text is the worst kind of noise (Khayrallah and Koehn, "On the
      // Impact of Various Types of Noise on Neural Machine Translation", 2018).
      {Oddity::equal, "equal", "have two equal sides", 0.01},
      // None, but for a few quotations.
      {Oddity::swapped, "swapped", "have source and target the wrong way round", 0.005},
      // Quotations, titles and names: at most 0.1 %.
      {Oddity::other_language, "other language", "are in another language on one side", 0.01},
      // 0.5 % of the game, 0.15 % of Europarl, package descriptions and help, 0.1 % and less
      // elsewhere.
      {Oddity::ratio, "length ratio", "have a side more than 3 times as long as the other", 0.01},
      // A vocabulary trained on the text spells all of it, so any share means another text.
      {Oddity::unwritable, "unwritable", "have characters that the vocabulary does not know",
       0.005},
      // At most 0.25 %, except for the ellipsis (U+2026), which a model never writes: 2 % of manual
      // pages, 5 % of help and the game in German.
      {Oddity::changed, "changed", "have characters that normalisation makes others", 0.01},
      // At most 0.1 %; 2 to 42 % if a tokeniser has left &apos; and &quot; in the text.
      {Oddity::markup, "markup", "have tags or character references", 0.01},
      // At most 0.3 %, six stray U+0085 in 2,525 lines of newstest2009; but 6 % of newstest2008,
      // whose quotation marks are control characters.
      {Oddity::encoding, "encoding", "have broken characters", 0.005},
      // Raw text: at most 0.8 %, in Europarl. Tokenised text: 96 % and more.
      {Oddity::tokenised, "tokenised", "have stops and commas apart", 0.1},
      // Raw text: 9 % of manual pages and package descriptions, which are phrases. Lower-cased
      // text: 99 % and more.
      {Oddity::lower_cased, "lower-cased", "have no capital on a side", 0.5},
      // Numbers, formulas, a lone full stop: 0.7 % of help, 0.4 % of Europarl, 0.15 % and less
      // elsewhere.
      {Oddity::few_letters, "few letters", "have a side with fewer letters than other characters",
       0.01},
      // Phrases such as "Thank you." and "(Applause)": 1.6 % of a TED test is in TED, 1.1 % in the
      // game, none in news and captions. Two sets of TED that are known to share talks: 5.7 %.
      {Oddity::overlap, "overlap", "are in the training and in held-out text", 0.02},
      {Oddity::overlap_normalised, "overlap, normalised",
       "are in the training and in held-out text, but for case, spaces and punctuation", 0.02},
      // 2.0 % of a TED test in Tatoeba, 0.4 % of Multi30k; those two sets: 9.9 %.
      {Oddity::overlap_side, "overlap of a side",
       "have a side that is in the training and in held-out text, but for case, spaces and punctuation",
       0.04},
  };
  return all;
}

const OddityInfo& info_of(Oddity oddity) { return oddities()[static_cast<std::size_t>(oddity)]; }

}  // namespace kette
