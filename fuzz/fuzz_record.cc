// SPDX-License-Identifier: Apache-2.0
//
// Records of shards, as reports and journals hold them: what is read is written, and read alike.
#include <nlohmann/json.hpp>

#include "conformance/json/json_reader.h"
#include "conformance/json/strict_json.h"
#include "conformance/result/shard_record_json.h"
#include "fuzz/expect.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

Result<ShardRecord> Parse(std::string_view text) {
  const Result<Json> json = ParseStrictJson<Json>(text);
  if (!json.ok()) return json.status();
  Status error;
  ShardRecord record = ReadShardRecord(JsonReader(*json, error));
  if (!error.ok()) return error;
  return record;
}

}  // namespace
}  // namespace poolproof

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace poolproof;  // NOLINT(google-build-using-namespace)
  const Result<ShardRecord> record = Parse(AsText(data, size));
  if (!record.ok()) {
    ExpectRefusal(record.status());
    return 0;
  }
  const std::string text = ShardRecordToJson(*record).dump();
  const Result<ShardRecord> again = Parse(text);
  Expect(again.ok(), "a record that was written is refused",
         again.ok() ? "" : again.status().message());
  Expect(*again == *record, "a record that was written is read otherwise", text);
  Expect(ShardRecordSha256(*again) == ShardRecordSha256(*record), "equal records, other hashes",
         text);
  return 0;
}
