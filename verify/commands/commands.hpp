// The commands of `lemmata`, one file each. add_x describes command x to the parser; if the user
// chose it, parsing leaves what to do in session.action.
#pragma once

#include "commands/session.hpp"

namespace lemmata::verify {

void add_bayes(CLI::App& app, Session& session);
void add_claims(CLI::App& app, Session& session);
void add_constants(CLI::App& app, Session& session);
void add_derivatives(CLI::App& app, Session& session);
void add_figure(CLI::App& app, Session& session);
void add_flow(CLI::App& app, Session& session);
void add_loss(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_sgd(CLI::App& app, Session& session);
void add_sweep(CLI::App& app, Session& session);
void add_verify(CLI::App& app, Session& session);

}  // namespace lemmata::verify
