#include "data/documents/mail_document.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/documents/document_bytes.h"
#include "data/documents/html_tokens.h"
#include "data/documents/mail_headers.h"
#include "data/documents/plain_text.h"
#include "data/files/utf8.h"

namespace kette {

namespace {

constexpr std::size_t kDeepestParts = 16;  // each level of parts is read once more

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A line of a body: its quotation depth and its text.
struct QuotedLine {
  std::size_t depth = 0;
  SourceRange text{};
};

QuotedLine quoted_line(std::string_view bytes, SourceRange line) {
  QuotedLine quoted{0, line};
  for (std::size_t at = line.begin; at < line.end; ++at) {
    if (bytes[at] == '>') {
      ++quoted.depth;
      quoted.text.begin = at + 1;
    } else if (bytes[at] != ' ') {
      break;
    }
  }
  // One space after the quotation signs belongs to them.
  const bool has_space = quoted.depth > 0 && quoted.text.begin < line.end;
  if (has_space && bytes[quoted.text.begin] == ' ') ++quoted.text.begin;
  return quoted;
}

/// "From somebody Sat Jan  3 01:05:34 1996", which begins a mail in an mbox.
bool begins_mail(std::string_view line) {
  return line.starts_with("From ") && line.find(':') != line.npos &&
         line.find_first_of("0123456789") != line.npos && line.back() >= '0' && line.back() <= '9';
}

}  // namespace

class MailReader {
 public:
  MailReader(MailDocument& mail, const std::string& name)
      : mail_(mail),
        bytes_(mail.bytes()),
        name_(name),
        paragraphs_(bytes_, [this](InlineText::Found&& found) {
          mail_.add(std::move(found.block), found.begin, found.end);
        }) {}

  void read();

 private:
  /// Where a mail or part is: how many it is within, and the one that has it.
  struct Place {
    std::size_t depth = 0, parent = MailDocument::kNoParent;
  };
  void read_mail(SourceRange range, Place place, bool is_whole);
  void read_content(const MailHeaders& headers, SourceRange body, Place place, bool is_mail);
  void read_parts(const MailHeaders& headers, SourceRange body, Place place);
  void read_subject(SourceRange subject);
  void read_body(SourceRange body, bool flowed);
  void note(std::size_t at, const std::string& what) { mail_.left_.add(bytes_, at, name_, what); }

  MailDocument& mail_;
  std::string_view bytes_;
  const std::string& name_;
  Paragraphs paragraphs_;
};

void MailReader::read() {
  const std::size_t first = first_line_begin(bytes_);
  std::size_t begin = first;
  if (begins_mail(line_at(bytes_, first).of(bytes_))) {
    begin = line_at(bytes_, first).next;
    bool after_blank = false;
    for (std::size_t at = begin; at < bytes_.size();) {
      const SourceLine line = line_at(bytes_, at);
      if (after_blank && begins_mail(line.of(bytes_))) {
        read_mail({begin, line.begin}, {}, false);
        begin = line.next;
      }
      after_blank = line.begin == line.end;
      at = line.next;
    }
    read_mail({begin, bytes_.size()}, {}, false);
  } else {
    read_mail({begin, bytes_.size()}, {}, true);
  }
}

/// is_whole: the document may be the text of a mail without headers.
void MailReader::read_mail(SourceRange range, Place place, bool is_whole) {
  const MailHeaders headers = read_mail_headers(bytes_, range);
  if (is_whole && !headers.is_mail) return read_body(range, false);
  if (headers.subject) read_subject(*headers.subject);
  read_content(headers, {headers.end, range.end}, place, true);
}

void MailReader::read_content(const MailHeaders& headers, SourceRange body, Place place,
                              bool is_mail) {
  if (body.begin >= body.end) return;
  if (headers.is_attachment) return note(body.begin, "an attachment, " + headers.type);
  const bool is_plain = is_one_of(headers.encoding, {"", "7bit", "8bit", "binary"});
  const bool is_packed = headers.type.starts_with("multipart/");
  if (!is_plain && !is_packed) {
    return note(body.begin, headers.type + " in " + headers.encoding);
  }
  if (is_one_of(headers.type, {"multipart/signed", "multipart/encrypted"})) {
    return note(body.begin, headers.type);
  }
  if (is_packed || headers.type == "message/rfc822") {
    if (place.depth == kDeepestParts) return note(body.begin, "parts within parts");
    mail_.parts_.push_back({headers.declared, is_mail, place.parent});
    const Place inside{place.depth + 1, mail_.parts_.size() - 1};
    return is_packed ? read_parts(headers, body, inside) : read_mail(body, inside, false);
  }
  if (headers.type != "text/plain" && headers.type != "text") {
    return note(body.begin, headers.type);
  }
  if (!is_one_of(headers.charset, {"", "us-ascii", "ascii", "utf-8", "utf8"})) {
    return note(body.begin, "text in " + headers.charset);
  }
  const std::size_t before = mail_.blocks().size();
  read_body(body, headers.flowed);
  const std::size_t behind = mail_.blocks().size();
  if (behind == before || !is_ascii(body.of(bytes_))) return;
  mail_.parts_.push_back({headers.declared, is_mail, place.parent, before, behind});
}

void MailReader::read_parts(const MailHeaders& headers, SourceRange body, Place place) {
  if (headers.boundary.empty()) return note(body.begin, headers.type + " without a boundary");
  const std::string border = "--" + headers.boundary;
  std::size_t begin = 0;  // of a part; 0: before the first
  const auto read_part = [&](std::size_t end) {
    if (begin == 0) return;
    const MailHeaders part = read_mail_headers(bytes_, {begin, end});
    read_content(part, {part.end, end}, place, false);
  };
  for (std::size_t at = body.begin; at < body.end;) {
    const SourceLine line = line_at(bytes_, at);
    const std::string_view text = without_spaces_behind(line.of(bytes_));
    if (text == border || text == border + "--") {
      read_part(line.begin);
      begin = line.next;
      if (text != border) return;
    }
    at = line.next;
  }
  read_part(body.end);
}

/// Without "Re:" and "[list]" in front.
void MailReader::read_subject(SourceRange subject) {
  if (subject.of(bytes_).find("=?") != std::string_view::npos) {
    return note(subject.begin, "an encoded subject");
  }
  const auto skip_gap = [&] {
    subject.begin = std::min(bytes_.find_first_not_of(" \t\r\n", subject.begin), subject.end);
  };
  for (bool again = true; again;) {
    skip_gap();
    again = false;
    const std::string_view text = subject.of(bytes_);
    const std::size_t colon = text.find(':'), bracket = text.find(']');
    if (text.starts_with('[') && bracket != text.npos) {
      subject.begin += bracket + 1;
      again = true;
    } else if (colon != text.npos && colon < 6 &&
               is_one_of(lower_ascii(text.substr(0, colon)),
                         {"re", "aw", "fw", "fwd", "wg", "sv", "antw", "tr"})) {
      subject.begin += colon + 1;
      again = true;
    }
  }
  const std::size_t before = mail_.blocks().size();
  for (std::size_t at = subject.begin; at < subject.end;) {
    const SourceLine line = line_at(bytes_, at);
    paragraphs_.add_line({line.begin, std::min(line.end, subject.end)});
    at = line.next;
  }
  paragraphs_.end();
  if (mail_.blocks().size() > before) mail_.subjects_.push_back(before);
}

void MailReader::read_body(SourceRange body, bool flowed) {
  std::size_t depth = 0;
  bool in_signature = false, in_armour = false;
  for (std::size_t at = body.begin; at < body.end;) {
    SourceLine line = line_at(bytes_, at);
    line.end = std::min(line.end, body.end);
    at = line.next;
    const QuotedLine quoted = quoted_line(bytes_, line);
    const std::string_view text = quoted.text.of(bytes_);
    if (quoted.depth != depth) {
      paragraphs_.end();
      in_signature = in_armour = false;
      depth = quoted.depth;
    }
    if (text.starts_with("-----BEGIN PGP ") && !in_armour) {
      note(line.begin, "a part signed or encrypted with PGP");
      in_armour = true;
    }
    if (text == "-- ") in_signature = true;
    if (in_signature || in_armour || is_blank_line(text)) {
      paragraphs_.end();
      in_armour = in_armour && (!text.starts_with("-----END PGP "));
      continue;
    }
    paragraphs_.add_line(quoted.text);
    if (flowed && !text.ends_with(' ')) paragraphs_.end();
  }
  paragraphs_.end();
}

MailDocument::MailDocument(std::string all, const std::string& name)
    : DocumentOfBytes(std::move(all)) {
  check_document_bytes(bytes(), name);
  MailReader(*this, name).read();
}

std::string_view MailDocument::line_end() const {
  const SourceLine first = line_at(bytes(), first_line_begin(bytes()));
  return std::string_view(bytes()).substr(first.end, first.next - first.end);
}

std::string MailDocument::with(const std::vector<TextBlock>& translations) const {
  std::vector<bool> is_changed(parts_.size());  // has bytes that no header declares
  for (std::size_t i = parts_.size(); i-- > 0;) {
    const Part& part = parts_[i];
    for (std::size_t at = part.first_block; at < std::min(part.last_block, translations.size());
         ++at) {
      if (!is_ascii(translations[at].text)) is_changed[i] = true;
    }
    if (is_changed[i] && part.parent != kNoParent) is_changed[part.parent] = true;
  }
  std::vector<DocumentEdit> edits;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    if (!is_changed[i]) continue;
    std::vector<DocumentEdit> more = edits_for_utf8(
        bytes(), part.declared, part.first_block < part.last_block, part.is_mail, line_end());
    std::move(more.begin(), more.end(), std::back_inserter(edits));
  }
  return DocumentOfBytes::with(translations, edits);
}

/// Headers are ASCII: a subject of only ASCII gets encoded words for other characters.
std::string MailDocument::written(std::size_t index, const TextBlock& translation) const {
  const bool is_subject = std::binary_search(subjects_.begin(), subjects_.end(), index);
  if (is_subject && is_ascii(bytes_of(index)) && !is_ascii(translation.text)) {
    // With its marks, such as addresses; encoded words are folded anew.
    const std::string folded = DocumentOfBytes::written(index, translation);
    std::string line;
    for (std::size_t at = 0; at < folded.size();) {
      const std::size_t end = std::min(folded.find_first_of("\r\n", at), folded.size());
      line.append(folded, at, end - at);
      at = std::min(folded.find_first_not_of(" \t\r\n", end), folded.size());
      if (at < folded.size()) line += ' ';
    }
    return encoded_words(line, line_end());
  }
  return DocumentOfBytes::written(index, translation);
}

std::unique_ptr<MailDocument> read_mail(std::string bytes, const std::string& name) {
  return std::make_unique<MailDocument>(std::move(bytes), name);
}

}  // namespace kette
