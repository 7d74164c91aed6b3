// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.h"

#include <algorithm>

#include "cli/write_file.h"

namespace poolproof {

Status CheckOutputs(const std::vector<Output>& outputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (!output->path) continue;
    const std::string& path = *output->path;
    const auto before = std::find_if(outputs.begin(), output,
                                     [&](const Output& other) { return other.path == path; });
    if (before != output && path != "/dev/null") {
      return InvalidArgument(output->option + ": '" + path + "' is already used by " +
                             before->option);
    }
    if (path == "-") continue;
    if (Status status = CheckWritable(path); !status.ok()) return status.Annotate(output->option);
  }
  return OkStatus();
}

bool TakesStdout(const std::vector<Output>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const Output& output) { return output.path == "-"; });
}

void WriteStdout(const Io& io, const std::vector<Output>& outputs) {
  for (const Output& output : outputs) {
    if (output.path == "-") io.out << output.render() << std::flush;
  }
}

Status WriteOutputs(const Io& io, const std::vector<Output>& outputs) {
  Status status = WriteFiles(outputs);
  WriteStdout(io, outputs);
  return status;
}

Status WriteFiles(const std::vector<Output>& outputs) {
  Status first;
  for (const Output& output : outputs) {
    if (!output.path || *output.path == "-") continue;
    // One that fails must not cost the others.
    const Status status = WriteFileAtomically(*output.path, output.render());
    if (first.ok()) first = status.Annotate(output.option);
  }
  return first;
}

}  // namespace poolproof
