// SPDX-License-Identifier: Apache-2.0
//
// Configuration files; options that are read complete a command line.
#include "cli/config_file.h"
#include "cli/program.h"
#include "fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  static const std::vector<DeclaredCommand> commands = ProgramCommands();
  const Result<std::vector<ConfigEntry>> entries =
      ParseConfigFile(AsText(data, size), "poolproof.toml");
  if (!entries.ok()) {
    ExpectRefusal(entries.status());
    return 0;
  }
  for (const std::string& verb : ConfigurableVerbs()) {
    const Result<std::vector<std::string>> words =
        WithConfiguration({verb, "operand"}, commands, *entries, "poolproof.toml");
    if (!words.ok()) {
      ExpectRefusal(words.status());
      continue;
    }
    Expect(words->front() == verb && words->back() == "operand", "a word is lost", verb);
    for (std::size_t i = 1; i + 1 < words->size(); ++i) {
      Expect((*words)[i].starts_with("--"), "what is added is an option", (*words)[i]);
    }
  }
  return 0;
}
