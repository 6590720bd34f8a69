#include "checks/written_model.hpp"

#include <lemmata/fit.hpp>
#include <lemmata/random.hpp>

#include <cmath>
#include <vector>

namespace lemmata::verify::checks {

SequenceSource::SequenceSource(const Problem& problem, Eigen::MatrixXd spikes, std::uint64_t seed)
    : tokens_(problem.tokens), prior_(problem.prior), spikes_(std::move(spikes)), seed_(seed) {
    for (const auto& component : prior_.components()) factors_.push_back(square_root_factor(component.covariance));
}

Sequence SequenceSource::draw(std::uint64_t index) const {
    const Eigen::Index dimension = spikes_.rows(), features = spikes_.cols();
    const auto numbers = static_cast<std::uint64_t>(tokens_ * dimension + features + 2);
    const std::uint64_t first = index * numbers;
    double uniform[2];
    fill_uniform(uniform, seed_, Stream::tokens, first);
    Sequence sequence;
    sequence.relevant = static_cast<Eigen::Index>(uniform[0] * static_cast<double>(tokens_));
    std::vector<double> normals(numbers - 2);
    fill_normal(normals, seed_, Stream::tokens, first + 2);
    const auto& components = prior_.components();
    std::size_t chosen = 0;
    for (double sum = components[0].weight; sum < uniform[1] && chosen + 1 < components.size();)
        sum += components[++chosen].weight;
    const Eigen::Map<const Eigen::VectorXd> z(normals.data(), features);
    const Eigen::VectorXd theta = components[chosen].mean + factors_[chosen] * z;
    sequence.tokens = Eigen::Map<const Eigen::MatrixXd>(normals.data() + features, tokens_, dimension);
    sequence.tokens.row(sequence.relevant) += (spikes_ * theta).transpose();
    return sequence;
}

Eigen::MatrixXd written_activation(Activation activation, const Eigen::MatrixXd& chi, const Eigen::VectorXd& b,
                                   double v) {
    const Eigen::Index heads = chi.rows(), tokens = chi.cols();
    Eigen::MatrixXd sigma(heads, tokens);
    for (Eigen::Index h = 0; h < heads; ++h)
        for (Eigen::Index l = 0; l < tokens; ++l) {
            double own = 0, all = 0;
            for (Eigen::Index k = 0; k < tokens; ++k) {
                own += std::exp(chi(h, k));
                for (Eigen::Index g = 0; g < heads; ++g) all += std::exp(chi(g, k) + b[g]);
            }
            switch (activation) {
                case Activation::softmax:
                    sigma(h, l) = std::exp(chi(h, l)) / own;
                    break;
                case Activation::softmax_1:
                    sigma(h, l) = v * std::exp(chi(h, l)) / (std::exp(b[h]) + own);
                    break;
                case Activation::bayes_softmax:
                    sigma(h, l) = std::exp(chi(h, l) + b[h]) / (all / static_cast<double>(heads));
                    break;
            }
        }
    return sigma;
}

WrittenLoss written_loss(const Problem& problem, const Eigen::MatrixXd& spikes, const Eigen::MatrixXd& k,
                         const Eigen::VectorXd& b, double v, int sequences, std::uint64_t seed,
                         const std::function<void()>& poll) {
    const SequenceSource source(problem, spikes, seed);
    Eigen::VectorXd losses(sequences), reduced(sequences);
    for (int i = 0; i < sequences; ++i) {
        if (i % 1024 == 0) poll();
        const Sequence sequence = source.draw(static_cast<std::uint64_t>(i));
        const Eigen::MatrixXd chi = (sequence.tokens * k).transpose();
        const Eigen::VectorXd mean = written_activation(problem.activation, chi, b, v).colwise().mean();
        const Eigen::VectorXd label = sequence.tokens.row(sequence.relevant);
        losses[i] = (label - sequence.tokens.transpose() * mean).squaredNorm() / static_cast<double>(spikes.rows());
        Eigen::VectorXd missed = -mean;
        missed[sequence.relevant] += 1;
        reduced[i] = missed.squaredNorm();
    }
    return {mean_of(losses), mean_of(reduced), mean_of(losses - reduced)};
}

}  // namespace lemmata::verify::checks
