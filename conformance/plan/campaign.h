// SPDX-License-Identifier: Apache-2.0
//
// CampaignCases: what a campaign judges. What the set smoke finds, it finds as soon.
#ifndef POOLPROOF_CONFORMANCE_PLAN_CAMPAIGN_H_
#define POOLPROOF_CONFORMANCE_PLAN_CAMPAIGN_H_

#include <cstdint>
#include <functional>

#include "conformance/case/case.h"
#include "conformance/spec/profile.h"
#include "conformance/spec/spec.h"

namespace poolproof {

// Case i of a campaign: a pure function of (profile, seed, i). Every other case is one of the set
// smoke, in its order, until there are no more. The others are explored (explore.h), and, in a
// random third, drawn from what breaches a clause, from plans (threads, streams, orders, contents,
// guards), from forwards and indices outside the plane, and from the fixed cases of the set ci,
// each kind of these as often as any other. Requires a profile that covers a backward. May be
// called from several threads at once; the spec must outlive it.
std::function<NamedCase(std::uint64_t index)> CampaignCases(const Spec& spec, Profile profile,
                                                            std::uint64_t seed);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PLAN_CAMPAIGN_H_
