// A question about constants, with its values as text so that they stay exact: "2", "1/3", "0.25".
#pragma once

#include <lemmata/verify/constants_report.hpp>

#include <string>
#include <vector>

namespace lemmata::verify {

struct ConstantsQuery {
    std::string activation;                                       // softmax, softmax-1, bayes-softmax, or a TOML file
    std::string tokens, heads, exp_bias, scale, var, var_learnt;  // "": symbolic
    std::vector<std::string> parameters;                          // "name=value", of the activation's file
    std::vector<int> orders{1, 2, 4};
};

// InvalidInput names values by their command-line options.
ConstantsTable constants_table(const ConstantsQuery& query);

}  // namespace lemmata::verify
