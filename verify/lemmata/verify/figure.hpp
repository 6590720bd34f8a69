// The twenty figures of [2603.03993v1], made again: data, picture, and what they decide.
// One file per family: verify/figures/.
//
// <folder>/figN/ gets figN.csv, figN.svg and figN.json (gallery.hpp). Parameters are the caption's;
// where it is silent, a choice is made and recorded, and no verdict hangs on it. The same seed and tier give the
// same bytes.
#pragma once

#include <lemmata/verify/chart.hpp>
#include <lemmata/verify/check.hpp>
#include <lemmata/verify/statement.hpp>
#include <lemmata/verify/store.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lemmata::verify {

struct FigureContext {
    Tier tier;
    std::uint64_t seed;
    Store store;
    std::function<void(double)> progress = [](double) {};  // the part of the figure's runs done; not concurrent
    std::function<void()> poll = [] {};                    // may throw to stop; concurrent

    // By tier.
    template <typename T>
    [[nodiscard]] T pick(T quick, T standard, T full) const {
        return tier == Tier::quick ? quick : tier == Tier::standard ? standard : full;
    }
};

struct Figure {
    Json parameters = Json::object();
    Json choices = Json::object();
    Json observed = Json::object();  // counts that no statement hangs on
    Chart chart;
    std::vector<Statement> statements;
};

struct FigureMaker {
    int number;
    std::string title;
    std::function<Figure(const FigureContext&)> make;
};

// In order of their numbers.
std::vector<FigureMaker> all_figures();

// {"schema", "figure", "title", "paper", "tier", "seed", "version", "parameters", "choices", "observed", "statements"}
Json figure_record(const FigureMaker& maker, const Figure& figure, const FigureContext& context);

// Makes the figure and writes its three files; returns its record.
Json write_figure(const std::filesystem::path& folder, const FigureMaker& maker, const FigureContext& context);

// The tier of the figure that lies there already, if this program made it with this seed and the tier is a higher
// one; else `tier`. Its runs are in the store, so making it again is quick.
Tier kept_tier(const std::filesystem::path& folder, int number, Tier tier, std::uint64_t seed);

}  // namespace lemmata::verify
