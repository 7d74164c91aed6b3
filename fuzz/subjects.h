// SPDX-License-Identifier: Apache-2.0
//
// Subjects: the implementations that the differential target compares with one another, opened in
// its own process: the reference, the optimized library once for each tier of this machine, and the
// library that POOLPROOF_FUZZ_IMPLEMENTATION names, if any.
#ifndef POOLPROOF_FUZZ_SUBJECTS_H_
#define POOLPROOF_FUZZ_SUBJECTS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/result/invocation.h"
#include "conformance/result/outcome.h"
#include "conformance/spec/profile.h"
#include "conformance/wire/progress.h"
#include "conformance/worker/library_host.h"

namespace poolproof {

class Subject {
 public:
  // `tier` is put into POOLPROOF_TIER for its calls. Ends the process where the library cannot be
  // used.
  Subject(std::string name, std::string tier, const OpenRequest& request);

  [[nodiscard]] const std::string& name() const { return name_; }
  // "optimized, tier avx2".
  [[nodiscard]] std::string Title() const;
  [[nodiscard]] const Probe& probe() const { return host_.reply().probe; }
  Outcome Run(const Invocation& invocation);

 private:
  std::string name_;
  std::string tier_;
  ProgressPage progress_;
  LibraryHost host_;
  bool ran_ = false;
};

struct Subjects {
  std::unique_ptr<Subject> reference;
  std::vector<std::unique_ptr<Subject>> optimized;  // by tier, at least one
  std::unique_ptr<Subject> foreign;                 // null where none is named
  Profile foreign_profile = Profile::kAtlasA2;
};

// Opened at the first call; never closed.
const Subjects& OpenSubjects();

}  // namespace poolproof

#endif  // POOLPROOF_FUZZ_SUBJECTS_H_
