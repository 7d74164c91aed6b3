// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/single_fault.h"

#include <algorithm>

namespace poolproof {

bool StandForOneFault(const std::vector<std::string>& clauses) {
  return std::count_if(clauses.begin(), clauses.end(), [](const std::string& id) {
           return !id.ends_with("-S12") && !id.ends_with("-S13") && id != "2P-08";
         }) <= 1;
}

}  // namespace poolproof
