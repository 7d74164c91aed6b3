// SPDX-License-Identifier: Apache-2.0
#include "conformance/cann/manifests.h"

namespace poolproof {
namespace {

// What set_env.sh puts first is what a program gets; the other folders serve where LD_LIBRARY_PATH
// was replaced. Kernels of custom packages are before the toolkit's, as frameworks look them up.
// Libraries of the split and the undivided layout must not meet in one process.
constexpr std::string_view kHead = R"json({
  "schema": "poolproof-manifest/1",
  "open": "lazy-global",
  "folders": ["${LD_LIBRARY_PATH}", "${ASCEND_HOME_PATH}/lib64", "${ASCEND_TOOLKIT_HOME}/lib64",
              "${ASCEND_OPP_PATH}/built-in/op_impl/ai_core/tbe/op_api/lib/linux/)json"
#if defined(__aarch64__)
                                   "aarch64"
#else
                                   "x86_64"
#endif
                                   R"json("],
  "environment": {"*": {"ASCEND_LOG_DEVICE_FLUSH_TIMEOUT": "0"}},
  "limits": {"start_s": 120, "stop_s": 10},
)json";

constexpr std::string_view kBetween = R"json(
    ["libnnopbase.so"],
    ["${ASCEND_CUSTOM_OPP_PATH}/op_api/lib/libcust_opapi.so", []],
)json";

constexpr std::string_view kAclAndRt = R"json(["libacl_rt.so", "libascendcl.so"])json";
constexpr std::string_view kSplit = R"json(["libopapi_math.so", "libopapi_nn.so"])json";
constexpr std::string_view kUndivided =
    R"json("libopapi.so", ["libaclnn_ops_infer.so", "libaclnn_ops_train.so"], "libaclnn_ops_train.so")json";

// `runtime` and `operators` are lists of alternatives.
std::string ManifestText(std::string_view name, const std::string& runtime,
                         const std::string& operators) {
  return std::string(kHead) + "  \"name\": \"" + std::string(name) +
         "\",\n  \"libraries\": [\n    [" + runtime + "]," + std::string(kBetween) + "    [" +
         operators + "]\n  ]\n}\n";
}

}  // namespace

const std::vector<CannRelease>& CannReleases() {
  static const std::vector<CannRelease> releases = {
      {"cann", "the CANN toolkit of set_env.sh, whichever release it is"},
      {"cann-8.1", "as of CANN up to 8.3: libascendcl, libnnopbase, libopapi or libaclnn_ops_*"},
      {"cann-8.5", "as of CANN 8.5: libascendcl, libnnopbase, libopapi_math, libopapi_nn"},
      {"cann-9", "as of CANN 9: libacl_rt, libnnopbase, libopapi_math, libopapi_nn"},
  };
  return releases;
}

std::optional<std::string> CannManifest(std::string_view name) {
  const std::string both(kAclAndRt);
  const std::string split(kSplit);
  const std::string undivided(kUndivided);
  if (name == "cann") {
    return ManifestText(name, both + R"(, "libacl_rt.so", "libascendcl.so")",
                        split + R"(, "libopapi_nn.so", )" + undivided);
  }
  if (name == "cann-8.1") return ManifestText(name, R"("libascendcl.so")", undivided);
  if (name == "cann-8.5") return ManifestText(name, R"("libascendcl.so")", split);
  if (name == "cann-9") return ManifestText(name, both + R"(, "libacl_rt.so")", split);
  return std::nullopt;
}

}  // namespace poolproof
