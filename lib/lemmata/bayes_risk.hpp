// The Bayes risk per dimension in the limit D -> infinity [2603.03993v1, sec. IV]:
//     E_Bayes = 1 - E P_eps = E sum_l (delta_{l,eps} - P_l)^2,   P_l proportional to w(chi*_l),
// the smallest loss any estimator can have. exponential_race.hpp reduces it to one integral over the
// law of w(x), x ~ N(0, I); orthogonal_groups.hpp splits that law into independent parts; each part
// is taken
//   mellin   if it is a single Gaussian component or atom: any F, any strength, about 1e-13;
//   radial   if it is a mixture of centred isotropic Gaussians: any F;
//   lattice  otherwise in up to 3 dimensions, refined until two spacings agree;
//   sobol    otherwise, with a standard error from independent replicates.
// So the paper's priors are exact in any number of features. Any L from 2 on, at the same cost.
//
// `risk` is a bound unless sobol or monte-carlo took part. Where the tolerance is not reached by
// lattice or radial refinement: Unfinished (automatic turns to sobol instead).
#pragma once

#include <lemmata/estimate.hpp>
#include <lemmata/prior.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace lemmata {

enum class RiskMethod { automatic, mellin, radial, lattice, sobol, monte_carlo };

std::string_view name(RiskMethod method);                 // "auto", "mellin", …, "monte-carlo"
RiskMethod risk_method_from_name(std::string_view name);  // throws InvalidInput

struct RiskOptions {
    RiskMethod method = RiskMethod::automatic;
    double tolerance = 1e-10;         // absolute; sobol and monte-carlo report what they reach
    std::int64_t samples = 1 << 17U;  // points in all (sobol), sequences (monte-carlo)
    std::uint64_t seed = 1;
};

struct RiskEstimate {
    Estimate risk;     // 1 - E P_eps
    Estimate squared;  // E sum_l (delta - P_l)^2, another integral
    std::string method;
};

RiskEstimate bayes_risk(const Prior& prior, std::int64_t tokens, const RiskOptions& options = {});

}  // namespace lemmata
