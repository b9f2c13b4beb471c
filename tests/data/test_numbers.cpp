#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/sentences/numbers.h"

using kette::missing_numbers;
using kette::numbers_in;

namespace {

using Texts = std::vector<std::string>;

Texts values(const std::string& text, const std::string& language) {
  Texts all;
  for (const kette::Number& number : numbers_in(text, language)) all.push_back(number.value);
  return all;
}

}  // namespace

TEST_CASE("numbers: the same value in each language's form") {
  CHECK(values("1,234.5 and 12,345,678", "en") == Texts{"1234.5", "12345678"});
  CHECK(values("1.234,5 und 12.345.678 und 1'234", "de") == Texts{"1234.5", "12345678", "1234"});
  CHECK(values("1\u202F234,5 et 12 345 678 et 1\u00A0000", "fr") ==
        Texts{"1234.5", "12345678", "1000"});
  CHECK(values("In 2019, 300 people; 1 234", "en") == Texts{"2019", "300", "1", "234"});
  CHECK(values("en 2019 300 personnes", "fr") == Texts{"2019", "300"});
}

TEST_CASE("numbers: years, times, percentages, ordinals, dates, and what is in words") {
  CHECK(values("In 1999 at 10:30, 5% of the 3rd group.", "en") == Texts{"1999", "10:30", "5", "3"});
  CHECK(values("Am 3. Mai 2024 um 10.30 Uhr, 5,0 %.", "de") == Texts{"3", "2024", "10:30", "5"});
  CHECK(values("3.10.2024, Version 2.0.1, B2B, 007, 0,50", "de") ==
        Texts{"3:10:2024", "2:0:1", "2", "7", "0.5"});
  CHECK(values("ten, zehn, dix, no number", "en").empty());
  CHECK(values("1.5 und 1.500", "de") == Texts{"1:5", "1500"});
  CHECK(values("0.125 and .5 and 5.", "en") == Texts{"0.125", "5", "5"});
}

TEST_CASE("numbers: what a translation lost, and only that") {
  CHECK(
      missing_numbers("1,234.5 people in 2020", "en", "1.234,5 Leute im Jahr 2020", "de").empty());
  for (const std::string language : {"en", "de", "fr"}) {
    const std::string text = "p9.U9.0 -9,0 9";  // of which two may be read as 9:0
    CHECK(missing_numbers(text, language, text, language).empty());
  }
  CHECK(missing_numbers("1,234.5 people in 2020", "en", "1.234 Leute im Jahr 2021", "de") ==
        Texts{"1234.5", "2020"});
  CHECK(missing_numbers("2 and 2 and 3", "en", "2 und 3", "de") == Texts{"2"});
  CHECK(missing_numbers("1.234,5 Euro", "de", "1 234,5 euros", "fr").empty());
  CHECK(missing_numbers("at 10:30", "en", "um 10.30 Uhr", "de").empty());
  CHECK(missing_numbers("at 10:30", "en", "à 10 h 30", "fr").empty());
  CHECK(missing_numbers("at 10:30", "en", "à 10 h 45", "fr") == Texts{"10:30"});
  CHECK(missing_numbers("at 3:30 p.m. or 5 pm", "en", "um 15.30 oder 17 Uhr", "de").empty());
  CHECK(missing_numbers("version 2.0", "en", "Version 2.0", "de").empty());
  CHECK(missing_numbers("5, 7 and 12 dogs", "en", "fünf, sieben und zwölf Hunde", "de").empty());
  CHECK(missing_numbers("the 3rd man, 1 woman", "en", "der dritte Mann, eine Frau", "de").empty());
  CHECK(missing_numbers("2 chats, le 1er jour", "fr", "Two cats, the first day", "en").empty());
  CHECK(missing_numbers("13 dogs", "en", "dreizehn Hunde", "de") == Texts{"13"});
  CHECK(missing_numbers("", "en", "5", "de").empty());
  CHECK(missing_numbers("1:2:3:4:5:6:7:8:9:10 5:5", "en", "5", "de").size() == 2);
}

TEST_CASE("numbers: long input takes its share of time, and any language has a reading") {
  std::string source, target;
  for (int i = 0; i < 20'000; ++i) {
    source += "1:2 3.4 ";
    target += "2,1 4,3 1 2 ";
  }
  CHECK(missing_numbers(source, "en", target, "xx").size() < 40'000);
  CHECK(values(std::string(100'000, '9'), "fr").size() == 1);
  CHECK(values("1'1'1 1.1. 1,,1 1 \xC2", "").size() == 5);
}
