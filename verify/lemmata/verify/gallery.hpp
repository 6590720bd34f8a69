// The figures that lie beside a report, made by `lemmata figure`: <folder>/figN/ with figN.svg, the
// data as figN.csv, and figN.json:
//   {"figure": N, "title", "tier", "choices": {what the caption leaves open},
//    "statements": [{"text", "quantity", "measured", "expected", "uncertainty", "verdict"}]}
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lemmata::verify {

struct Picture {
    std::string file;  // "figures/fig1/fig1.svg", as seen from the report
    std::string svg;
    nlohmann::ordered_json record;
};

// In the order of their numbers; empty if there are none. InvalidInput for a record that is none.
std::vector<Picture> pictures(const std::filesystem::path& report);

std::string gallery_markdown(const std::vector<Picture>& pictures);

// The page with pictures inside: links to their files become the files themselves.
std::string with_pictures(std::string html, const std::vector<Picture>& pictures);

}  // namespace lemmata::verify
