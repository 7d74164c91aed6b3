// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/options.h"
#include "conformance/runner/implementation.h"

namespace poolproof {
namespace {

struct ImportArguments {
  std::string input;
  std::string output;
  std::optional<std::string> format;
  std::optional<std::string> planes;
  bool forwards = false;
};

// Becomes a python3 process: the forms of others change, and are read by a script.
Result<int> Import(const ImportArguments& arguments, const Io& io) {
  const std::filesystem::path script =
      ProgramFolder().parent_path() / "lib/poolproof/python/poolproof/foreign.py";
  const char* const named = std::getenv("POOLPROOF_PYTHON");
  const std::string python = named != nullptr && *named != '\0' ? named : "python3";
  std::vector<std::string> words = {python, script.string(), "-o", arguments.output};
  if (arguments.format) words.push_back("--format=" + *arguments.format);
  if (arguments.planes) words.push_back("--planes=" + *arguments.planes);
  if (arguments.forwards) words.emplace_back("--forwards");
  words.insert(words.end(), {"--", arguments.input});
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  io.out.flush();
  ::execvp(python.c_str(), pointers.data());
  return NotFound("import: " + python + " cannot be started: " + std::strerror(errno));
}

}  // namespace

void DeclareImport(const Command& app, Action& action) {
  const Command command =
      app.AddCommand("import", "Cases from pooling layers in the forms of others");
  command.SetGroup("Look closer");
  const auto arguments = std::make_shared<ImportArguments>();
  command.AddOption("input", arguments->input, "A file; - is standard input")
      .TypeName("F")
      .Required();
  command.AddOption("-o,--output", arguments->output, "Write a case file here; - is stdout")
      .TypeName("F")
      .Required();
  command
      .AddOption("--format", arguments->format,
                 "benchdnn, pytorch, onnx, csv or json; without it, what the text looks like")
      .TypeName("X");
  command
      .AddOption("--planes", arguments->planes,
                 "Cut each batch, then its channels, to at most N planes")
      .TypeName("N");
  command.AddFlag("--forwards", arguments->forwards, "Also a case of each forward");
  command.SetFooter(
      "Each layer becomes a case of its backward. What is taken:\n"
      "  benchdnn  pooling problems of oneDNN, mb2ic16ih10kh3sh2ph1, with --alg, --dt, --mb, "
      "--reset\n"
      "  pytorch   operator logs (cnt: 1, ((T([2, 16, 10, 10], f32), [3, 3]), {})), events of the "
      "profiler\n"
      "  onnx      nodes MaxPool and GlobalMaxPool with the shapes of the file, as text or as "
      "JSON\n"
      "  csv json  tables: n c d h w or shape, kernel, stride, padding, dilation, ceil_mode, "
      "dtype, output,\n"
      "            pool; an output without a kernel is adaptive\n"
      "\n"
      "Each line that cannot be taken is written to stderr with its number and the reason. Strides "
      "and\n"
      "formats of memory are not kept. Exit status 2 if no layer could be taken.\n"
      "\n"
      "Examples:\n"
      "  poolproof import layers.csv -o cases.txt\n"
      "  poolproof run --implementation ./libyours.so --case-file cases.txt");
  command.OnChosen([arguments, &action] {
    action = [arguments](const Io& io) { return Import(*arguments, io); };
  });
}

}  // namespace poolproof
