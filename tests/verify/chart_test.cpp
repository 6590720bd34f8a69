#include <lemmata/error.hpp>
#include <lemmata/verify/chart.hpp>

#include <catch2/catch.hpp>

using namespace lemmata;
using namespace lemmata::verify;

namespace {

Chart example() {
    Curve curve{"flow, head 1", {{0.1, 1, 0}, {1, 2, 0}}, 0};
    curve.in_legend = true;
    return {{{"softmax: f = 1", "τ", "m_{h1}", {curve}}}};
}

}  // namespace

TEST_CASE("the table has what is drawn, to all digits", "[chart]") {
    CHECK(csv(example()) ==
          "panel,curve,x,y,z\nsoftmax: f = 1,\"flow, head 1\",0.1,1,0\nsoftmax: f = 1,\"flow, head 1\",1,2,0\n");
}

TEST_CASE("the same chart is drawn to the same bytes, another to others", "[chart]") {
    Chart chart = example();
    const std::string picture = svg(chart);
    CHECK(picture.find("<svg") != std::string::npos);
    CHECK(picture.find("τ") != std::string::npos);
    CHECK(svg(chart) == picture);
    chart.panels[0].curves[0].points[1][1] = 3;
    CHECK(svg(chart) != picture);
}

TEST_CASE("a legend shows all its entries, also in a narrow panel", "[chart]") {
    Chart chart = example();
    auto& curves = chart.panels[0].curves;
    for (const char* name : {"second", "third", "fourth", "fifth"}) {
        curves.push_back(curves.front());
        curves.back().name = name;
    }
    chart.panels = {chart.panels[0], chart.panels[0]};
    // A lost entry still leaves its name as the title of a group.
    const std::string picture = svg(chart);
    for (const char* name : {"second", "third", "fourth", "fifth"}) {
        const std::string text = std::string(">") + name + "</tspan>";
        const auto first = picture.find(text);
        CHECK(first != std::string::npos);
        CHECK(picture.find(text, first + 1) != std::string::npos);
    }
}

TEST_CASE("what gnuplot cannot draw is no picture", "[chart]") {
    CHECK_THROWS_AS(gnuplot("no such command\n"), Unfinished);
}
