#include "data/corpora/token_stream.h"

#include <algorithm>
#include <utility>

#include "tensor/error.h"

namespace kette {

TokenStream::TokenStream(std::vector<TokenFile> files) {
  KETTE_CHECK(!files.empty(), "tokens: expected at least one file of them, given none");
  All all;
  all.info = files.front().info();
  all.info.documents = all.info.bytes = 0;
  std::int64_t end = 0;
  for (const TokenFile& file : files) {
    KETTE_CHECK(file.info().tokenizer == all.info.tokenizer, file.name(),
                ": expected tokens of the tokenizer ", all.info.tokenizer, ", as those of ",
                files.front().name(), ", given tokens of ", file.info().tokenizer);
    all.ends.push_back(end += file.size());
    all.info.documents += file.info().documents;
    all.info.bytes += file.info().bytes;
  }
  all.files = std::move(files);
  all_ = std::make_shared<const All>(std::move(all));
}

TokenStream TokenStream::joined(const std::vector<TokenStream>& texts) {
  std::vector<TokenFile> files;
  for (const TokenStream& text : texts) {
    files.insert(files.end(), text.all_->files.begin(), text.all_->files.end());
  }
  return TokenStream(std::move(files));
}

template <class Take>
void TokenStream::for_pieces(std::int64_t begin, std::int64_t count, const Take& take) const {
  KETTE_CHECK(begin >= 0 && count >= 0 && count <= size() - begin, name(),
              ": expected some of its ", size(), " tokens, given ", count, " from ", begin);
  const auto& ends = all_->ends;
  auto i = std::min<std::ptrdiff_t>(
      std::ssize(ends) - 1, std::upper_bound(ends.begin(), ends.end(), begin) - ends.begin());
  do {
    const TokenFile& file = all_->files[i];
    const std::int64_t at = begin - (ends[i] - file.size()),
                       here = std::min(count, file.size() - at);
    take(file, at, here);
    begin += here;
    count -= here;
    ++i;
  } while (count > 0);
}

TokenStream TokenStream::part(std::int64_t begin, std::int64_t count) const {
  std::vector<TokenFile> pieces;
  for_pieces(begin, count, [&](const TokenFile& file, std::int64_t at, std::int64_t here) {
    pieces.push_back(file.part(at, here));
  });
  return TokenStream(std::move(pieces));
}

std::vector<std::int32_t> TokenStream::copy(std::int64_t begin, std::int64_t count) const {
  std::vector<std::int32_t> ids;
  for_pieces(begin, count, [&](const TokenFile& file, std::int64_t at, std::int64_t here) {
    const std::vector<std::int32_t> more = file.copy(at, here);
    ids.insert(ids.end(), more.begin(), more.end());
  });
  return ids;
}

}  // namespace kette
