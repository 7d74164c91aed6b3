// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/register.h"

#include "reports/markdown.h"

namespace poolproof {
namespace {

std::string Listed(const std::string& title, const std::string& items) {
  return items.empty() ? "" : title + ": " + items + "\n\n";
}

}  // namespace

std::string RegisterMarkdown(const Spec& spec) {
  std::string text =
      "# Where the documents disagree or are silent\n\nMade from "
      "`conformance/spec/clauses.json`; a test keeps it up to date. Every report\nholds the same "
      "register, and `poolproof explain DD-01` prints an "
      "entry.\n\n| document | |\n|---|---|\n";
  for (const Document& document : spec.documents()) {
    text += "| " + document.id + " | " + MarkdownText(document.title) + " |\n";
  }
  for (const RegisteredDiscrepancy& entry : spec.discrepancies()) {
    std::string documents;
    for (const std::string& id : entry.documents) documents += (documents.empty() ? "" : ", ") + id;
    std::string clauses;
    for (const Clause& clause : spec.clauses()) {
      const bool related = clause.statement.find(entry.id) != std::string::npos ||
                           entry.statement.find(clause.id) != std::string::npos;
      if (related) clauses += (clauses.empty() ? "`" : ", `") + clause.id + "`";
    }
    text += "\n## " + entry.id + "\n\n" + MarkdownText(entry.statement) + "\n\n**Reading.** " +
            MarkdownText(entry.reading) + "\n\n" + Listed("Documents", documents) +
            Listed("Clauses", clauses);
    text.pop_back();
  }
  return text;
}

}  // namespace poolproof
