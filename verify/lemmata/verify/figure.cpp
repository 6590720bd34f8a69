#include "figures/figures.hpp"

#include <lemmata/verify/code_version.hpp>
#include <lemmata/verify/figure.hpp>
#include <lemmata/verify/file.hpp>
#include <lemmata/verify/toml_section.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace lemmata::verify {
namespace {

std::filesystem::path file(const std::filesystem::path& folder, int number, const char* ending) {
    const std::string name = fmt::format("fig{}", number);
    return folder / name / (name + ending);
}

}  // namespace

std::vector<FigureMaker> all_figures() {
    std::vector<FigureMaker> all;
    for (const auto& family : {figures::cosine(), figures::hierarchy(), figures::limit_losses(), figures::maps(),
                               figures::plane(), figures::pruning(), figures::samples(), figures::sgd()})
        all.insert(all.end(), family.begin(), family.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    return all;
}

Json figure_record(const FigureMaker& maker, const Figure& figure, const FigureContext& context) {
    Json json{{"schema", 1},
              {"figure", maker.number},
              {"title", maker.title},
              {"paper", "2603.03993v1"},
              {"tier", std::string(name(context.tier))},
              {"seed", context.seed},
              {"version", std::string(code_version())},
              {"parameters", figure.parameters},
              {"choices", figure.choices},
              {"observed", figure.observed},
              {"statements", Json::array()}};
    for (const Statement& s : figure.statements) json["statements"].push_back(to_json(s));
    return json;
}

Json write_figure(const std::filesystem::path& folder, const FigureMaker& maker, const FigureContext& context) {
    const Figure figure = maker.make(context);
    const Json json = figure_record(maker, figure, context);
    write_file(file(folder, maker.number, ".csv"), csv(figure.chart));
    write_file(file(folder, maker.number, ".svg"), svg(figure.chart));
    write_file(file(folder, maker.number, ".json"), json.dump(2) + "\n");  // last: it vouches for the others
    return json;
}

Tier kept_tier(const std::filesystem::path& folder, int number, Tier tier, std::uint64_t seed) {
    const auto record = file(folder, number, ".json");
    if (!std::filesystem::exists(record)) return tier;
    try {
        const Json json = Json::parse(read_text(record.string()));
        if (json.at("version") == std::string(code_version()) && json.at("seed") == seed)
            return std::max(tier, tier_from_name(json.at("tier").get<std::string>()));
    } catch (const std::exception&) {
        // Not a record of ours: as if it were not there.
    }
    return tier;
}

}  // namespace lemmata::verify
