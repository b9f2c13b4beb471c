// Files for TensorBoard; python/tests/test_tensorboard.py reads them with TensorBoard's own reader.
#include <doctest/doctest.h>

#include <cstring>

#include "data/files/json_text.h"
#include "tests/support.h"
#include "train/event_file.h"

using namespace kette;
using namespace kette::testing;

namespace {

std::uint32_t word_at(const std::string& bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

/// The events of a file; a record that is cut off is left out, as by TensorBoard.
std::vector<std::string> events_in(const std::string& bytes) {
  std::vector<std::string> events;
  for (std::size_t at = 0; at + 12 <= bytes.size();) {
    const std::size_t length = word_at(bytes, at);
    if (at + 16 + length > bytes.size()) break;
    events.push_back(bytes.substr(at + 12, length));
    CHECK(event_record(events.back()) == bytes.substr(at, 16 + length));
    at += 16 + length;
  }
  return events;
}

}  // namespace

TEST_CASE("event file: the checksum has the known answers of RFC 3720") {
  CHECK(crc32c("") == 0);
  CHECK(crc32c("123456789") == 0xE3069283u);
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AAu);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62A8AB43u);
}

TEST_CASE("event file: a record is what TensorBoard's own writer makes of the event") {
  // At 1.5 s, step 8, the scalar train/loss with the value 2.5.
  const std::string event(
      "\x09\0\0\0\0\0\0\xf8\x3f\x10\x08\x2a\x13\x0a\x11\x0a\x0atrain/loss\x15\0\0\x20\x40", 32);
  const std::string record = event_record(event);
  CHECK(record.substr(0, 8) == std::string("\x20\0\0\0\0\0\0\0", 8));
  CHECK(word_at(record, 8) == 0x50a9ed29u);
  CHECK(record.substr(12, 32) == event);
  CHECK(word_at(record, 44) == 0xff89d381u);
}

TEST_CASE("event file: steps and validations have names, other lines none") {
  const ScratchFolder folder;
  EventFile file(folder / "tensorboard", 0);
  file.write(Json{{"step", 3}, {"loss", 2.5}, {"lr", 0.25}, {"slowest", "process 1"}});
  file.write(Json{{"step", 3}, {"valid_loss", 1.5}, {"valid_bleu", 30.0}});
  file.write(Json{{"step", 3}, {"stage", 1}, {"weights", {1, 2}}});
  file.write(Json{{"step", 4}, {"average", {{"valid_loss", 1.25}}}});
  const auto files = files_in(folder / "tensorboard");
  REQUIRE(files.size() == 1);
  const auto events = events_in(files.begin()->second);
  REQUIRE(events.size() == 4);
  CHECK(contains(events[0], "brain.Event:2"));
  // A Summary.Value: tag, then simple_value, a float.
  CHECK(
      contains(events[1], std::string("\x0a\x11\x0a\x0atrain/loss\x15\0\0\x20\x40", 19).substr(2)));
  CHECK(contains(events[1], "train/lr"));
  CHECK(!contains(events[1], "slowest"));
  CHECK(!contains(events[1], "train/step"));
  CHECK(contains(events[2], "valid/loss"));
  CHECK(contains(events[2], "valid/bleu"));
  CHECK(contains(events[3], "average/valid_loss"));
}

TEST_CASE("event file: a resumed run has a file of its own, a new one alone has") {
  const ScratchFolder folder;
  { EventFile(folder.path(), 0).write(Json{{"step", 1}, {"loss", 1.0}}); }
  { EventFile(folder.path(), 7).write(Json{{"step", 8}, {"loss", 1.0}}); }
  write_file(folder / "notes.txt", "not ours");
  CHECK(files_in(folder.path()).size() == 3);
  bool forgets = false;  // an event of step 8 with a SessionLog, field 7, whose status is START
  for (const auto& [name, bytes] : files_in(folder.path())) {
    for (const std::string& event : events_in(bytes)) {
      forgets = forgets || event.substr(9) == std::string("\x10\x08\x3a\x02\x08\x01", 6);
    }
  }
  CHECK(forgets);
  { EventFile(folder.path(), 0).write(Json{{"step", 1}, {"loss", 1.0}}); }
  CHECK(files_in(folder.path()).size() == 2);
  CHECK(read_file(folder / "notes.txt") == "not ours");
}
