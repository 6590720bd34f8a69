// Families of figures, one file each.
#pragma once

#include <lemmata/verify/figure.hpp>

namespace lemmata::verify::figures {

std::vector<FigureMaker> cosine();        // 11
std::vector<FigureMaker> hierarchy();     // 4, 19, 20
std::vector<FigureMaker> limit_losses();  // 5
std::vector<FigureMaker> maps();          // 6
std::vector<FigureMaker> plane();         // 2, 3, 12-18
std::vector<FigureMaker> pruning();       // 7
std::vector<FigureMaker> samples();       // 8
std::vector<FigureMaker> sgd();           // 1, 9, 10

}  // namespace lemmata::verify::figures
