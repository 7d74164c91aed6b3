// SPDX-License-Identifier: Apache-2.0
//
// ShardRecord as JSON, as reports and journals hold it. Write and read are inverse, except for
// bytes in messages that are no UTF-8.
#ifndef POOLPROOF_CONFORMANCE_RESULT_SHARD_RECORD_JSON_H_
#define POOLPROOF_CONFORMANCE_RESULT_SHARD_RECORD_JSON_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/json/json_reader.h"
#include "conformance/result/shard_record.h"

namespace poolproof {

nlohmann::ordered_json ShardRecordToJson(const ShardRecord& record);
ShardRecord ReadShardRecord(const JsonReader& at);
// Of the record's JSON: equal records have equal hashes.
std::string ShardRecordSha256(const ShardRecord& record);

// Its parts, for journals.
nlohmann::ordered_json CaseClassToJson(const CaseClass& kind);
CaseClass ReadCaseClass(const JsonReader& at);
nlohmann::ordered_json FailedCaseToJson(const FailedCase& failed);
FailedCase ReadFailedCase(const JsonReader& at);
nlohmann::ordered_json RefinementToJson(const Refinement& refinement);
Refinement ReadRefinement(const JsonReader& at);
nlohmann::ordered_json SumFactsToJson(const SumFacts& facts);
SumFacts ReadSumFacts(const JsonReader& at);
nlohmann::ordered_json UnansweredToJson(const UnansweredCase& entry);
UnansweredCase ReadUnanswered(const JsonReader& at);
nlohmann::ordered_json AcceptanceToJson(const std::vector<AcceptedCall>& calls);
std::vector<AcceptedCall> ReadAcceptance(const JsonReader& at);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_SHARD_RECORD_JSON_H_
