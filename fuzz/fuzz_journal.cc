// SPDX-License-Identifier: Apache-2.0
//
// Journals. Lines get the checksums that they would have, so that what is behind those is met; an
// input that starts with '#' is a file as it is. A journal that is opened can be opened again,
// and what it held, written into another one, is read alike.
#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/session/journal.h"
#include "conformance/wire/unique_fd.h"
#include "fuzz/expect.h"

namespace poolproof {
namespace {

const JournalHeader& Header() {
  static const JournalHeader header = {{"plan", "p"}, {"shard", "0/1"}};
  return header;
}

// A file without a name, which a journal opens by its descriptor.
class File {
 public:
  File() : file_(::memfd_create("journal", MFD_CLOEXEC)) { Expect(file_.valid(), "no file", ""); }
  [[nodiscard]] std::string Path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }
  void Append(std::string_view text) const {
    Expect(::lseek(file_.get(), 0, SEEK_END) >= 0 &&
               ::write(file_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
           "a file takes no more", "");
  }

 private:
  UniqueFd file_;
};

bool Equal(const JournalContents& a, const JournalContents& b) {
  return a.results == b.results && a.refined == b.refined;
}

}  // namespace
}  // namespace poolproof

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  std::string_view text = AsText(data, size);
  const File file;
  if (text.starts_with('#')) {
    file.Append(text.substr(1));
  } else {
    // With a header of its own.
    Expect(Journal::Open(file.Path(), Header()).ok(), "a new journal is refused", "");
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      file.Append(JournalLine(text.substr(0, end)));
      text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
  }
  Result<std::unique_ptr<Journal>> journal = Journal::Open(file.Path(), Header());
  if (!journal.ok()) {
    ExpectRefusal(journal.status());
    return 0;
  }
  const JournalContents contents = journal.value()->TakeContents();
  journal.value().reset();
  journal = Journal::Open(file.Path(), Header());
  Expect(journal.ok(), "a journal is refused the second time",
         journal.ok() ? "" : journal.status().message());
  Expect(Equal(journal.value()->TakeContents(), contents), "a journal is read otherwise", "");
  for (const CaseResult& result : contents.results) {
    Expect(journal.value()->Find(result.number) != nullptr, "a judged case is not found", "");
  }

  const File copy;
  Result<std::unique_ptr<Journal>> other = Journal::Open(copy.Path(), Header());
  Expect(other.ok(), "a new journal is refused", "");
  for (const CaseResult& result : contents.results) {
    Expect(other.value()->Begin(result.number).ok() && other.value()->Judged(result).ok(),
           "a journal takes no result", "");
  }
  for (const auto& [number, refinement] : contents.refined) {
    Expect(other.value()->Refined(number, refinement).ok(), "a journal takes no blame", "");
  }
  other.value().reset();
  other = Journal::Open(copy.Path(), Header());
  Expect(other.ok(), "a journal that was written is refused",
         other.ok() ? "" : other.status().message());
  Expect(Equal(other.value()->TakeContents(), contents),
         "a journal that was written is read otherwise", "");
  return 0;
}
