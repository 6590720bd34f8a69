// The cases of tests/data/loss.json.
#pragma once

#include <lemmata/problem.hpp>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

struct ReferenceCase {
    std::string name;
    lemmata::Problem problem;
    lemmata::State state;
    double loss;
    double spread;
};

inline std::vector<ReferenceCase> reference_cases() {
    using namespace lemmata;
    const auto vector = [](const nlohmann::json& j) {
        const auto values = j.get<std::vector<double>>();
        return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(values.data(), Eigen::Index(values.size())));
    };
    const auto matrix = [&](const nlohmann::json& j) {
        Eigen::MatrixXd m(Eigen::Index(j.size()), Eigen::Index(j.at(0).size()));
        for (std::size_t i = 0; i < j.size(); ++i) m.row(Eigen::Index(i)) = vector(j[i]).transpose();
        return m;
    };
    std::ifstream file(LEMMATA_TEST_DATA "/loss.json");
    std::vector<ReferenceCase> cases;
    for (const auto& j : nlohmann::json::parse(file)) {
        std::vector<Component> components;
        for (const auto& c : j.at("prior"))
            components.push_back({c.at("weight"), vector(c.at("mean")), matrix(c.at("covariance"))});
        cases.push_back({j.at("name"),
                         {activation_from_name(j.at("activation").get<std::string>()), j.at("tokens"),
                          Prior::mixture(std::move(components))},
                         {matrix(j.at("m")), matrix(j.at("r")), vector(j.at("b")), j.at("v")},
                         j.at("loss"),
                         j.at("spread")});
    }
    return cases;
}
