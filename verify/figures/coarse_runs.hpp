// Runs of runs.hpp once more, about ten times as coarse. What a number changes by estimates its error.
//
// Everything that limits a run's accuracy is made worse: the integrator's tolerance (1e-4) and the exact loss's (1e-6)
// ten times, the gradient at which a flow (1e-7) or a limit (1e-5) counts as at rest ten times or more; a limit's time
// is halved; Sobol points are as many, but other ones. The change is then mostly the error of the coarse run, several
// times that of the run itself (with Sobol points: of the same size), so that one start may speak for all starts of a
// setting. An estimate, not a bound.
#pragma once

#include "figures/runs.hpp"

namespace lemmata::verify::figures {

std::vector<Path> coarse_flows(const FigureContext& context, const std::vector<FlowRun>& runs);

// `minimum` is not known.
std::vector<Limit> coarse_limits(const FigureContext& context, const std::vector<FlowRun>& runs);

// The flow beside a run of SGD.
Path coarse_beside(const FigureContext& context, const SgdSetting& setting, const SgdRecord& start);

}  // namespace lemmata::verify::figures
