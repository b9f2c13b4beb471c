#include "inspect/lab/experiments.h"

#include <algorithm>

#include "inspect/page/html.h"
#include "inspect/report/text.h"
#include "tensor/suggestion.h"

namespace kette {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = {
      {"lens",
       "What a translation model would say if it stopped early, layer by layer",
       "nostalgebraist 2020, \"interpreting GPT: the logit lens\"; Langedijk et al. 2023, "
       "\"DecoderLens\"",
       {"--model", "--src", "--tgt", "--to"},
       lens_experiment},
      {"align",
       "Which word a translated word comes from, read off attention to the source",
       "Kobayashi et al. 2020, \"Attention is Not Only a Weight: Analyzing Transformers with Vector "
       "Norms\"",
       {"--model", "--to"},
       align_experiment},
      {"heads",
       "How many heads a translator can do without, masked or shut by gates that learn",
       "Michel et al. 2019, \"Are Sixteen Heads Really Better than One?\"; Voita et al. 2019, "
       "\"Analyzing Multi-Head Self-Attention\"",
       {"--model"},
       heads_experiment},
      {"induction",
       "Heads that look at what followed last time, in models of attention alone",
       "Elhage et al. 2021, \"A Mathematical Framework for Transformer Circuits\"; Olsson et al. "
       "2022, \"In-context Learning and Induction Heads\"",
       {},
       induction_experiment},
      {"superposition",
       "More features than dimensions, where features are seldom present",
       "Elhage et al. 2022, \"Toy Models of Superposition\"",
       {},
       superposition_experiment},
      {"grokking",
       "A model of a + b mod 113 learns by heart first, and to add much later",
       "Nanda et al. 2023, \"Progress Measures for Grokking via Mechanistic Interpretability\"",
       {},
       grokking_experiment},
      {"circuits",
       "Ranks, copying and composition of the heads of a model",
       "Elhage et al. 2021, \"A Mathematical Framework for Transformer Circuits\"",
       {"--model"},
       circuits_experiment},
      {"attention-cost",
       "Time and memory of attention against length: fused, spelled out, a window, linear",
       "Vaswani et al. 2017, table 1; Dao et al. 2022, \"FlashAttention\"; Katharopoulos et al. 2020, "
       "\"Transformers are RNNs\"",
       {},
       attention_cost_experiment},
      {"scaling",
       "Loss by size and data of small models, and a prediction of a larger one's",
       "Hoffmann et al. 2022, \"Training Compute-Optimal Large Language Models\"",
       {"--text"},
       scaling_experiment},
      {"sharpness",
       "The Hessian's largest eigenvalue along gradient descent, and the 2 / eta that it stays at",
       "Cohen et al. 2021, \"Gradient Descent on Neural Networks Typically Occurs at the Edge of "
       "Stability\"",
       {},
       sharpness_experiment},
  };
  return all;
}

std::string readers_of(const std::string& input) {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) {
    const auto& reads = experiment.reads;
    if (std::find(reads.begin(), reads.end(), input) != reads.end())
      names.push_back(experiment.name);
  }
  return joined(names);
}

Report to_report(const Experiment& experiment, const ExperimentReport& found, bool quick,
                 const Page& page) {
  Report report{.title = "kette lab " + experiment.name};
  const auto hold = std::count_if(found.findings.begin(), found.findings.end(),
                                  [](const Finding& one) { return one.holds; });
  report.begun = std::make_shared<const Page>(page);
  report.lead = std::to_string(hold) + " of " + std::to_string(found.findings.size()) +
                " claims of " + experiment.paper + (hold == 1 ? " holds here" : " hold here") +
                (quick ? " (with --quick, which proves nothing)" : "") +
                "; each row is a claim, with the paper's number and the one measured here.";
  if (quick) report.line("With --quick, which proves nothing:\n");
  for (const Finding& one : found.findings) {
    report.line(text("%-5s %s\n      paper: %s\n      here:  %s\n", one.holds ? "holds" : "NOT",
                     one.claim.c_str(), one.paper.c_str(), one.here.c_str()));
  }
  report.fact("experiment", experiment.name);
  report.fact("quick", quick);
  report.fact("holds", found.holds());
  report.section("Findings");
  report.table(tabulated("findings", found.findings,
                         {{{.title = "holds", .where = kPage},
                           [](const Finding& one) {
                             return Cell().draw(one.holds ? "<b class=\"yes\">yes</b>"
                                                          : "<b class=\"no\">no</b>");
                           }},
                          {{.key = "claim", .title = "claim"}, &Finding::claim},
                          {{.key = "paper", .title = "paper"}, &Finding::paper},
                          {{.key = "here", .title = "here"}, &Finding::here},
                          {{.key = "holds", .where = kJson}, &Finding::holds}}),
               kJson | kPage);
  report.inner("numbers", found.numbers);
  for (const auto& [heading, html] : found.sections) {
    report.section(heading);
    report.drawing([html = html](Page&) { return html; });
  }
  return report;
}

Report list_of_experiments() {
  Report report{.title = "Experiments",
                .lead = "Each row is an experiment of a paper that kette lab repeats.",
                .about = "Made by kette lab --list."};
  for (const Experiment& one : experiments()) {
    report.line(text("%-16s %s\n%-16s after %s\n", one.name.c_str(), one.what.c_str(), "",
                     one.paper.c_str()));
  }
  report.table(tabulated("experiments", experiments(),
                         {{{.key = "name", .title = "name"}, &Experiment::name},
                          {{.key = "what", .title = "what"}, &Experiment::what},
                          {{.key = "paper", .title = "after"}, &Experiment::paper}}),
               kJson | kPage);
  return report;
}

}  // namespace kette
