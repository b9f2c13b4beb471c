// The page of a server, for people: a text is translated, a prompt gone on with, and each sentence leads to a page of how
// a model came to it. It works without scripts, by forms; with them it translates while one types. Nothing in it is
// fetched from elsewhere, and its links are relative, so that a proxy may put it below any folder.
#pragma once

#include "serve/api.h"
#include "serve/page_drawing.h"

namespace kette {

/// GET /: the forms.
void page_show(const ApiCall& call);
/// POST /: the forms with what was asked for.
void page_answer(const ApiCall& call);
/// GET or POST /explain?model=NAME&text=TEXT: what `kette explain` draws.
void page_explain(const ApiCall& call);
/// Puts why one of these was refused into its answer: in words, beside the forms as they were filled in.
void page_error(HttpAnswer& answer, const HttpRequest& request, const PageFacts& facts,
                const std::string& why);

}  // namespace kette
