// Files of this source tree that the library carries with it; generated from CMakeLists.txt.
#pragma once

#include <string_view>
#include <vector>

namespace lemmata::verify {

struct EmbeddedFile {
    std::string_view name;
    std::string_view text;
};

const std::vector<EmbeddedFile>& embedded_claims();     // verify/claims/*.toml
const std::vector<EmbeddedFile>& embedded_baselines();  // verify/baseline/*.toml, named by tier
const std::vector<EmbeddedFile>& embedded_page();       // verify/page/*: the frame of index.html

}  // namespace lemmata::verify
