#include <lemmata/global_search.hpp>

#include <catch2/catch.hpp>
#include <cmath>

using namespace lemmata;

TEST_CASE("the search finds the bottom of a curved valley") {
    const auto rosenbrock = [](const Eigen::VectorXd& x) {
        double total = 0;
        for (Eigen::Index i = 0; i + 1 < x.size(); ++i)
            total += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
        return total;
    };
    SearchOptions options;
    options.evaluations = 6000;
    const SearchResult r = search_minimum(rosenbrock, {Eigen::VectorXd::Constant(4, -1)}, options);
    CHECK(r.value < 1e-10);
    CHECK((r.point - Eigen::VectorXd::Ones(4)).norm() < 1e-4);
    CHECK(search_minimum(rosenbrock, {Eigen::VectorXd::Constant(4, -1)}, options).value == r.value);
}

TEST_CASE("the search stops when it has enough and survives bad values") {
    SearchOptions options;
    options.enough = 0.5;
    int calls = 0;
    const auto half_line = [&](const Eigen::VectorXd& x) {
        ++calls;
        return x[0] < 0 ? std::nan("") : x[0];
    };
    const SearchResult r = search_minimum(half_line, {Eigen::VectorXd::Constant(1, 4)}, options);
    CHECK(r.value < 0.5);
    CHECK(calls == r.evaluations);
    CHECK(calls < 400);
}
