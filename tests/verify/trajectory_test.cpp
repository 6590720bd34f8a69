#include <lemmata/verify/trajectory.hpp>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/toy_losses.hpp"

using namespace lemmata;
using namespace lemmata::verify;

namespace {

FlowResult toy_flow(int features) {
    FlowOptions options;
    options.until = 8;
    return flow(toy::double_well, random_state(2, features, 0.5, 0.1, 3), options);
}

}  // namespace

TEST_CASE("trajectories become tables") {
    const FlowResult result = toy_flow(2);
    const std::vector<Moment> course = moments(result.path, toy::double_well, 10);
    std::istringstream csv(to_csv(course));
    std::string line;
    std::getline(csv, line);
    CHECK(line == "tau,loss,m_1_1,m_1_2,m_2_1,m_2_2,b_1,b_2,v,R_1_1,R_1_2,R_2_2");
    std::vector<double> last;
    int rows = 0;
    while (std::getline(csv, line)) {
        last.clear();
        std::istringstream fields(line);
        for (std::string field; std::getline(fields, field, ',');) last.push_back(std::stod(field));
        ++rows;
    }
    CHECK(rows == 11);  // 0 and ten times from 0.01 on
    REQUIRE(last.size() == 12);
    const State end = last_state(result.path);
    CHECK(last[0] == 8);
    CHECK(last[1] == toy::double_well(end).loss.value);
    CHECK(last[2] == end.m(0, 0));
    CHECK(last[3] == end.m(0, 1));  // feature before head: a table of H x F, row by row
    CHECK(last[10] == (end.r * end.r.transpose())(0, 1));
}

TEST_CASE("events become JSON with null for what did not happen") {
    Events events;
    events.tau_s = 3.5;
    events.learning = {std::nullopt, 2.0};
    events.excursions = {{0, 1, 7.25}};
    const Json json = to_json(events);
    CHECK(json["tau_u"].is_null());
    CHECK(json["tau_s"] == 3.5);
    CHECK(json["learning"].dump() == "[null,2.0]");
    CHECK(json["excursions"].dump() == R"([{"head":1,"feature":2,"tau":7.25}])");
}

TEST_CASE("pictures are drawn or the reason is told") {
    const auto folder = std::filesystem::temp_directory_path() / "lemmata-trajectory-test";
    std::filesystem::remove_all(folder);
    const FlowResult result = toy_flow(2);
    const std::vector<Moment> course = moments(result.path, toy::double_well, 10);
    const std::string remark = draw(folder, "a \"title\"; with `odd` $(characters)", course, course);
    if (remark.empty()) {
        for (const char* name : {"magnetizations.svg", "heads.svg"}) {
            std::ifstream file(folder / name);
            std::stringstream text;
            text << file.rdbuf();
            CHECK(text.str().find("<svg") != std::string::npos);
            CHECK(text.str().find("</svg>") != std::string::npos);
        }
        CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
    } else {
        CHECK(remark.find("gnuplot") != std::string::npos);
    }
    std::filesystem::remove_all(folder);
}
