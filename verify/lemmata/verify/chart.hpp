// Pictures of data in one style: panels of curves, drawn by gnuplot as SVG, and the same numbers as CSV.
//
// What is drawn is what the table says. Colours are those of Okabe and Ito (distinct for the colour-blind),
// legends stand below their panel, and two columns of 15-point type stay readable on a telephone.
// The same chart gives the same bytes.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace lemmata::verify {

enum class Mark {
    line,
    dashed,
    dots,
    points_and_line,  // with an error bar where the third number is not 0
    cells             // a map: x, y, value
};

struct Curve {
    std::string name;
    std::vector<std::array<double, 3>> points = {};  // x, y and an error or value
    int colour = 0;                                  // cyclic, from 0
    Mark mark = Mark::line;
    bool in_legend = false;
};

struct Panel {
    std::string title, x, y;
    std::vector<Curve> curves = {};
    bool log_x = false, log_y = false;
    bool zero_axes = false;
    std::vector<std::string> extra = {};  // gnuplot's own words, before plotting
};

struct Chart {
    std::vector<Panel> panels = {};
    int columns = 2;
    int panel_height = 270;
};

// Columns: panel, curve, x, y, z.
std::string csv(const Chart& chart);

// Unfinished if gnuplot cannot be run.
std::string svg(const Chart& chart);

// What gnuplot prints for a script; the terminal is the script's business. Unfinished if it cannot be run.
std::string gnuplot(const std::string& script);

}  // namespace lemmata::verify
