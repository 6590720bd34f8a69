// A measurement that several claims, or mutants of a claim's wording, are judged by: made once for each tier and seed.
#pragma once

#include <lemmata/verify/check.hpp>

#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace lemmata::verify::checks {

template <class T>
std::function<const T&(const Context&)> remembered(std::function<T(const Context&)> measure) {
    using Memory = std::map<std::pair<Tier, std::uint64_t>, T>;
    return [measure = std::move(measure), memory = std::make_shared<Memory>()](const Context& context) -> const T& {
        const std::pair key{context.tier, context.seed};
        const auto known = memory->find(key);
        return known != memory->end() ? known->second : memory->emplace(key, measure(context)).first->second;
    };
}

}  // namespace lemmata::verify::checks
