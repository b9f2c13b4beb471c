// The web page of a server. It translates a text or continues a prompt. Each sentence links to a page
// that explains how the model translated it. The page works with forms alone. With scripts it
// translates while the user types. It loads nothing from other servers. Its links are relative, so
// that a proxy may put it below any path.
#pragma once

#include "serve/api.h"
#include "serve/page_drawing.h"

namespace kette {

/// GET /: the forms.
void page_show(const ApiCall& call);
/// POST /: the forms with the result.
void page_answer(const ApiCall& call);
/// GET or POST /explain?model=NAME&text=TEXT: the page of `kette explain`.
void page_explain(const ApiCall& call);
/// Writes a refusal of one of these into its answer: the reason, next to the forms as they were
/// filled in.
void page_error(HttpAnswer& answer, const HttpRequest& request, const PageFacts& facts,
                const std::string& why);

}  // namespace kette
