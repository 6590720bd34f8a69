#include <lemmata/symbolic/head_invariants.hpp>

#include <algorithm>
#include <numeric>

namespace lemmata::symbolic {
namespace {

// Whether every block of `fine` lies within a block of `coarse`.
bool refines(const std::vector<int>& fine, const std::vector<int>& coarse) {
    for (std::size_t i = 0; i < fine.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (fine[i] == fine[j] && coarse[i] != coarse[j]) return false;
    return true;
}

// The least of the names that differ by renaming letters, order within a factor and order of
// equal factors.
std::string monomial(const std::vector<Factor>& factors, const std::vector<int>& partition) {
    const int letters = partition.empty() ? 0 : *std::max_element(partition.begin(), partition.end());
    std::vector<int> name(static_cast<std::size_t>(letters));  // of a block: 0 for a, 1 for b, ...
    std::iota(name.begin(), name.end(), 0);
    std::string least;
    do {
        // Sorted within equal factors only; those are neighbours, and numbered by the first of them.
        std::vector<std::pair<std::size_t, std::string>> words;
        std::size_t slot = 0, group = 0;
        for (const Factor& factor : factors) {
            std::string word;
            for (int i = 0; i < factor.slots; ++i)
                word += static_cast<char>('a' + name[std::size_t(partition[slot++] - 1)]);
            std::sort(word.begin(), word.end());
            if (!words.empty() && factor.name != factors[words.size() - 1].name) ++group;
            words.emplace_back(group, factor.slots == 0 ? factor.name : factor.name + "_" + word);
        }
        std::sort(words.begin(), words.end());
        std::string candidate;
        for (const auto& [unused, word] : words) candidate += (candidate.empty() ? "" : " ") + word;
        if (least.empty() || candidate < least) least = candidate;
    } while (std::next_permutation(name.begin(), name.end()));
    return least;
}

}  // namespace

std::vector<std::vector<int>> set_partitions(int n) {
    std::vector<std::vector<int>> result{{}};
    for (int i = 0; i < n; ++i) {
        std::vector<std::vector<int>> longer;
        for (const auto& partition : result) {
            const int blocks = partition.empty() ? 0 : *std::max_element(partition.begin(), partition.end());
            for (int block = 1; block <= blocks + 1; ++block) {
                longer.push_back(partition);
                longer.back().push_back(block);
            }
        }
        result = std::move(longer);
    }
    return result;
}

std::map<std::string, GiNaC::ex> head_invariants(const std::vector<Factor>& factors, const HeadTensor& tensor,
                                                 bool keep_zeros) {
    const int slots =
        std::accumulate(factors.begin(), factors.end(), 0, [](int sum, const Factor& f) { return sum + f.slots; });
    std::vector<std::vector<int>> partitions = set_partitions(slots);
    const auto blocks = [](const std::vector<int>& p) { return p.empty() ? 0 : *std::max_element(p.begin(), p.end()); };
    // Finest first, so that t of all refinements is known.
    std::stable_sort(partitions.begin(), partitions.end(),
                     [&](const auto& p, const auto& q) { return blocks(p) > blocks(q); });
    std::vector<GiNaC::ex> t;
    std::map<std::string, GiNaC::ex> result;
    for (const auto& partition : partitions) {
        GiNaC::ex value = tensor(partition);
        for (std::size_t finer = 0; finer < t.size(); ++finer)
            if (refines(partitions[finer], partition)) value -= t[finer];
        t.push_back(value.normal());
        result[monomial(factors, partition)] += t.back();
    }
    for (auto entry = result.begin(); entry != result.end();) {
        entry->second = entry->second.normal();
        entry = !keep_zeros && entry->second.is_zero() ? result.erase(entry) : std::next(entry);
    }
    return result;
}

}  // namespace lemmata::symbolic
