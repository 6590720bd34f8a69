#include <lemmata/verify/versions.hpp>

#include <fmt/format.h>
#include <ginac/ginac.h>
#include <oneapi/tbb/version.h>
#include <toml++/toml.h>
#include <Eigen/Core>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

namespace lemmata::verify {

std::vector<std::pair<std::string, std::string>> versions() {
    const auto dotted = [](auto... numbers) {
        std::string text;
        ((text += (text.empty() ? "" : ".") + std::to_string(numbers)), ...);
        return text;
    };
    return {{"lemmata", LEMMATA_VERSION},
#ifdef __clang__
            {"Clang", __clang_version__},
#else
            {"GCC", __VERSION__},
#endif
            {"Boost", dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
            {"Eigen", dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
            {"GiNaC", dotted(GINACLIB_MAJOR_VERSION, GINACLIB_MINOR_VERSION, GINACLIB_MICRO_VERSION)},
            {"oneTBB", dotted(TBB_VERSION_MAJOR, TBB_VERSION_MINOR)},
            {"{fmt}", dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
            {"nlohmann/json",
             dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
            {"toml++", dotted(TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)}};
}

}  // namespace lemmata::verify
