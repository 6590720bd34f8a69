#include <lemmata/head_groups.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace lemmata {

std::vector<int> head_groups(const Eigen::MatrixXd& m, double distance) {
    std::vector<int> label(static_cast<std::size_t>(m.rows()), -1);
    int groups = 0;
    for (std::size_t first = 0; first < label.size(); ++first) {
        if (label[first] >= 0) continue;
        std::vector<std::size_t> reached{first};
        label[first] = groups;
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (std::size_t h = 0; h < label.size(); ++h)
                if (label[h] < 0 &&
                    (m.row(static_cast<Eigen::Index>(h)) - m.row(static_cast<Eigen::Index>(reached[i]))).norm() <=
                        distance) {
                    label[h] = groups;
                    reached.push_back(h);
                }
        ++groups;
    }
    return label;
}

int group_count(const std::vector<int>& groups) {
    return groups.empty() ? 0 : 1 + *std::max_element(groups.begin(), groups.end());
}

int sign_patterns(const Eigen::MatrixXd& m, double least) {
    std::set<std::vector<bool>> patterns;
    for (Eigen::Index h = 0; h < m.rows(); ++h) {
        if (!(m.row(h).cwiseAbs().minCoeff() >= least)) continue;
        std::vector<bool> signs;
        for (const double x : m.row(h)) signs.push_back(x > 0);
        patterns.insert(signs);
    }
    return static_cast<int>(patterns.size());
}

int imbalance(const Eigen::MatrixXd& m, int feature) {
    return static_cast<int>(std::abs(m.col(feature).array().sign().sum()));
}

Eigen::VectorXd purity(const Eigen::MatrixXd& m) {
    Eigen::VectorXd result(m.rows());
    for (Eigen::Index h = 0; h < m.rows(); ++h) {
        const double size = m.row(h).norm();
        result[h] = size > 0 ? m.row(h).cwiseAbs().maxCoeff() / size : 0;
    }
    return result;
}

}  // namespace lemmata
