#include <lemmata/verify/paper_order.hpp>

namespace lemmata::verify {

std::string section_of(const std::string& id) {
    return id.starts_with("eq-") ? "eq" : id.substr(0, id.find('/'));
}

std::pair<int, std::string> rank(const std::string& section) {
    int kind = 4;
    if (section == "eq") kind = 0;
    if (section.starts_with("prop-")) kind = 1;
    if (section.starts_with("lemma-")) kind = section.starts_with("lemma-A") ? 3 : 2;
    if (section == "text") kind = 5;
    return {kind, section};
}

std::string heading(const std::string& section) {
    if (section == "eq") return "Numbered equations";
    if (section == "text") return "Running text and captions";
    if (section.starts_with("prop-")) return "Proposition " + section.substr(5);
    if (section.starts_with("lemma-")) return "Lemma " + section.substr(6);
    return section;
}

}  // namespace lemmata::verify
