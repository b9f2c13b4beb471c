#include "data/documents/subtitle_document.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "data/documents/document_bytes.h"
#include "data/documents/html_tokens.h"
#include "data/documents/inline_text.h"
#include "data/documents/source_lines.h"
#include "data/documents/subtitle_lines.h"
#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::int64_t kLongestGap = 2000;  // milliseconds between cues of one sentence
constexpr int kMostCues = 8;                // per block, for captions without end marks

std::string plain_character(std::string_view character) { return std::string(character); }

bool is_number(std::string_view line) {
  line = without_spaces_behind(line);
  return !line.empty() && line.find_first_not_of("0123456789") == line.npos;
}

/// Makes blocks of the lines of cues. Tags around a whole cue are outside of blocks, or part of the
/// break between two cues of one sentence: a translation never moves them into another cue.
class CueBlocks {
 public:
  using Sink = std::function<void(InlineText::Found&&)>;

  CueBlocks(std::string_view bytes, bool has_entities, Sink sink)
      : bytes_(bytes),
        has_entities_(has_entities),
        sink_(std::move(sink)),
        block_(bytes, has_entities ? markup_escaped_text : plain_character) {}

  void begin_cue(CueTimes times) {
    end_cue();
    gap_ = times.begin - end_time_;
    end_time_ = times.end;
    at_begin_ = true;
  }
  void add_line(SourceRange line) { lines_.push_back(line); }
  void end_block() {
    end_cue();
    take_block();
  }

  /// "&" and "<" begin markup in WebVTT; ">" alone does not.
  static std::string markup_escaped_text(std::string_view character) {
    return character == ">" ? std::string(">") : markup_escaped(character);
  }

 private:
  void end_cue();
  void add_cue_line(SourceRange line, bool may_join);
  void take_block() {
    std::optional<InlineText::Found> found = block_.take();
    if (found && found->has_letter) sink_(std::move(*found));
    end_ = 0;
    cues_ = 0;
  }
  bool continues(std::string_view line) const {
    if (end_ == 0 || cues_ >= kMostCues || gap_ < 0 || gap_ > kLongestGap) return false;
    return !ends_sentence(last_line_) && (goes_on(line) || ends_in_comma(last_line_));
  }
  void add_text(SourceRange line);

  std::string_view bytes_;
  bool has_entities_;
  Sink sink_;
  InlineText block_;
  std::vector<SourceRange> lines_;  // of the cue
  std::string_view last_line_, voice_;
  bool ends_bare_ = false;  // the cue before
  std::size_t end_ = 0;     // of the block's last line; 0: it has none
  std::int64_t gap_ = 0, end_time_ = 0;
  int cues_ = 0;  // that begin in the block
  bool at_begin_ = false;
};

void CueBlocks::end_cue() {
  if (lines_.empty()) return;
  const CueText cue = cue_text(bytes_, {lines_.front().begin, lines_.back().end});
  // A translation of both cues could move a tag over their border; speakers do not share one.
  const bool may_join = ends_bare_ && cue.begins_bare && (cue.voice.empty() || cue.voice == voice_);
  for (SourceRange line : std::exchange(lines_, {})) {
    line.begin = std::max(line.begin, cue.text.begin);
    line.end = std::min(line.end, cue.text.end);
    if (line.begin < line.end) add_cue_line(line, may_join);
  }
  ends_bare_ = cue.ends_bare;
  voice_ = cue.voice;
}

void CueBlocks::add_cue_line(SourceRange line, bool may_join) {
  const std::string_view text = line.of(bytes_);
  const std::size_t speech = speech_begin(text);
  if (speech > 0 || (at_begin_ && !(may_join && continues(text)))) take_block();
  if (at_begin_) ++cues_;
  at_begin_ = false;
  line.begin += speech;
  line.end = line.begin + without_spaces_behind(line.of(bytes_)).size();
  while (line.begin < line.end && (bytes_[line.begin] == ' ' || bytes_[line.begin] == '\t')) {
    ++line.begin;
  }
  if (line.begin == line.end) return;
  if (end_ > 0) block_.space(end_, line.begin);
  add_text(line);
  end_ = line.end;
  last_line_ = line.of(bytes_);
}

void CueBlocks::add_text(SourceRange line) {
  const std::string_view text = bytes_.substr(0, line.end);
  for (std::size_t at = line.begin; at < line.end;) {
    const std::size_t begin = at;
    if (text[at] == ' ' || text[at] == '\t') {
      at = std::min(text.find_first_not_of(" \t", at), line.end);
      block_.space(begin, at);
      continue;
    }
    if (const SubtitleTag tag = subtitle_tag(text, at); tag.end > 0) {
      at = tag.end;
      const Mark::Kind kind = tag.opens    ? Mark::Kind::opens
                              : tag.closes ? Mark::Kind::closes
                                           : Mark::Kind::stands;
      block_.mark(kind, begin, at, tag.name);
      continue;
    }
    if (has_entities_ && text[at] == '&') {
      const HtmlReference reference = html_reference(text, at);
      const bool is_one = reference.plain.size() == 1 && !is_control(reference.plain[0]);
      if (reference.bytes > 0) {
        at += reference.bytes;
        if (is_one) {
          block_.character(encode_utf8(reference.plain), begin, at);
        } else {
          block_.mark(Mark::Kind::stands, begin, at);
        }
        continue;
      }
    }
    at += utf8_length(text[at]);
    block_.character(text.substr(begin, at - begin), begin, at);
  }
}

class SubtitleDocument : public DocumentOfBytes {
 public:
  SubtitleDocument(std::string all, const std::string& name, bool is_vtt)
      : DocumentOfBytes(std::move(all)),
        name_(name),
        is_vtt_(is_vtt),
        cues_(bytes(), is_vtt, [this](InlineText::Found&& found) {
          add(std::move(found.block), found.begin, found.end);
        }) {
    check_document_bytes(bytes(), name);
    if (is_vtt) {
      read_web();
    } else {
      read_plain();
    }
    cues_.end_block();
  }

 private:
  std::string_view text(const SourceRange& line) const { return line.of(bytes()); }
  CueTimes times(const SourceLine& line) const;
  void read_web();
  void read_plain();
  bool begins_cue(const SourceLine& line) const;

  std::string escaped(std::string_view character, bool) const override {
    return is_vtt_ ? CueBlocks::markup_escaped_text(character) : std::string(character);
  }

  std::string name_;
  bool is_vtt_;
  CueBlocks cues_;
};

CueTimes SubtitleDocument::times(const SourceLine& line) const {
  const std::optional<CueTimes> read = cue_times(text(line));
  KETTE_CHECK(read, document_place(bytes(), line.begin, name_), ": expected the times of a cue, ",
              is_vtt_ ? "00:00:01.000 --> 00:00:02.000" : "00:00:01,000 --> 00:00:02,000",
              ", given ", text(line).substr(0, 60));
  KETTE_CHECK(read->begin <= read->end, document_place(bytes(), line.begin, name_),
              ": expected a cue that ends after it begins, given ", text(line).substr(0, 60));
  return *read;
}

/// Whether a cue begins here: with its times, or its number and then them.
bool SubtitleDocument::begins_cue(const SourceLine& line) const {
  if (cue_times(text(line))) return true;
  return is_number(text(line)) && cue_times(text(line_at(bytes(), line.next)));
}

void SubtitleDocument::read_plain() {
  bool in_cue = false, after_blank = true;
  for (std::size_t at = first_line_begin(bytes()); at < bytes().size();) {
    SourceLine line = line_at(bytes(), at);
    at = line.next;
    if (is_blank_line(text(line))) {
      after_blank = true;
      continue;
    }
    const SourceLine second = line_at(bytes(), line.next);
    const bool has_number = is_number(text(line)) && text(second).find("-->") != std::string::npos;
    const bool is_header =
        after_blank && (has_number || text(line).find("-->") != std::string::npos);
    if (is_header || begins_cue(line)) {
      if (has_number) line = second;
      cues_.begin_cue(times(line));
      in_cue = true;
      after_blank = false;
      at = line.next;
      continue;
    }
    KETTE_CHECK(in_cue, document_place(bytes(), line.begin, name_),
                ": expected the number or times of a cue, given ", text(line).substr(0, 60));
    // A blank line in a cue separates its text.
    if (after_blank) cues_.end_block();
    after_blank = false;
    cues_.add_line(line);
  }
}

void SubtitleDocument::read_web() {
  SourceLine line = line_at(bytes(), first_line_begin(bytes()));
  const std::string_view first = text(line);
  const bool is_signed =
      first.starts_with("WEBVTT") && (first.size() == 6 || first[6] == ' ' || first[6] == '\t');
  KETTE_CHECK(is_signed, document_place(bytes(), line.begin, name_), ": expected WEBVTT, given ",
              first.substr(0, 60), " (is it SRT?)");
  enum class In { header, gap, note, cue } in = In::header;
  const auto begins = [&](std::string_view word) {
    const std::string_view all = text(line);
    return all.starts_with(word) &&
           (all.size() == word.size() || all[word.size()] == ' ' || all[word.size()] == '\t');
  };
  for (std::size_t at = line.next; at < bytes().size();) {
    line = line_at(bytes(), at);
    at = line.next;
    const bool has_arrow = text(line).find("-->") != std::string_view::npos;
    if (text(line).empty() || (in != In::cue && is_blank_line(text(line)))) {
      in = In::gap;
    } else if (has_arrow && in != In::note) {
      cues_.begin_cue(times(line));
      in = In::cue;
    } else if (in == In::cue) {
      cues_.add_line(line);
    } else if (in == In::gap) {
      in = In::note;
      if (begins("NOTE") || begins("STYLE") || begins("REGION")) continue;
      line = line_at(bytes(), at);  // behind a name
      at = line.next;
      cues_.begin_cue(times(line));
      in = In::cue;
    }
  }
}

}  // namespace

std::unique_ptr<Document> read_srt(std::string bytes, const std::string& name) {
  return std::make_unique<SubtitleDocument>(std::move(bytes), name, false);
}

std::unique_ptr<Document> read_vtt(std::string bytes, const std::string& name) {
  return std::make_unique<SubtitleDocument>(std::move(bytes), name, true);
}

}  // namespace kette
