#include <lemmata/certified_race.hpp>
#include <lemmata/error.hpp>
#include <lemmata/exact_input.hpp>
#include <lemmata/loss_certified.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace lemmata {
namespace {

using Matrix = std::vector<std::vector<Ball>>;

// The law of all heads' scores under one component: means, and the covariance without any rounding.
struct ScoreLaw {
    Ball weight;
    std::vector<Ball> mean;
    Matrix covariance;
};

Matrix exact_matrix(const Eigen::MatrixXd& m) {
    Matrix result(static_cast<std::size_t>(m.rows()));
    for (Eigen::Index i = 0; i < m.rows(); ++i)
        for (Eigen::Index j = 0; j < m.cols(); ++j) result[static_cast<std::size_t>(i)].emplace_back(m(i, j));
    return result;
}

// sum_fg a_if middle_fg b_jg for all i, j: exact at WorkingPrecision::exact().
Matrix sandwich(const Matrix& a, const Matrix& middle, const Matrix& b) {
    Matrix result(a.size(), std::vector<Ball>(b.size()));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j)
            for (std::size_t f = 0; f < middle.size(); ++f)
                for (std::size_t g = 0; g < middle.size(); ++g)
                    if (!middle[f][g].zero()) result[i][j] += a[i][f] * middle[f][g] * b[j][g];
    return result;
}

// Null law first, then the relevant token's components.
std::vector<ScoreLaw> score_laws(const Problem& problem, const State& state) {
    const Prior& prior = problem.prior;
    const Matrix m = exact_matrix(state.m), r = exact_matrix(state.r);
    const auto heads = static_cast<std::size_t>(state.heads());
    std::vector<Ball> weights = exact_weights(prior);
    std::vector<ScoreLaw> laws{{Ball(1), std::vector<Ball>(heads, Ball(0)), {}}};
    for (std::size_t k = 0; k < weights.size(); ++k) {
        ScoreLaw law{weights[k], {}, {}};
        for (std::size_t h = 0; h < heads; ++h) {
            Ball mean(0);
            for (Eigen::Index f = 0; f < prior.features(); ++f)
                mean += m[h][static_cast<std::size_t>(f)] * exact_mean(prior, k, f);
            law.mean.push_back(std::move(mean));
        }
        laws.push_back(std::move(law));
    }
    const WorkingPrecision exactly(WorkingPrecision::exact());
    const Matrix one_r = exact_matrix(Eigen::MatrixXd::Identity(state.r.cols(), state.r.cols()));
    const Matrix one_m = exact_matrix(Eigen::MatrixXd::Identity(state.m.cols(), state.m.cols()));
    const Matrix outside = sandwich(r, one_r, r);
    for (std::size_t k = 0; k < laws.size(); ++k) {
        Matrix middle = one_m;
        if (k > 0) {
            const Matrix spread = exact_matrix(prior.components()[k - 1].covariance);
            for (std::size_t f = 0; f < middle.size(); ++f)
                for (std::size_t g = 0; g < middle.size(); ++g) middle[f][g] += spread[f][g];
        }
        laws[k].covariance = sandwich(m, middle, m);
        for (std::size_t i = 0; i < heads; ++i)
            for (std::size_t j = 0; j < heads; ++j) laws[k].covariance[i][j] += outside[i][j];
    }
    return laws;
}

// The root of an exact number that cannot be negative.
Ball exact_root(const Ball& square) {
    if (square.zero()) return Ball(0);
    if (!square.positive())
        throw InvalidInput("prior.component[*].covariance", "not positive semidefinite as binary numbers",
                           "positive semidefinite matrices");
    return sqrt(square);
}

OneRace mixed_race(RateLaw null, std::vector<std::pair<Ball, RateLaw>> relevant, Ball competitor) {
    return {std::move(null),
            [relevant = std::move(relevant)](const Ball& time) {
                Ball lost(0);
                for (const auto& [weight, law] : relevant) lost += weight * race_lost(law, time);
                return lost;
            },
            std::move(competitor)};
}

OneRace head_race(const std::vector<ScoreLaw>& laws, std::size_t i, const Ball& competitor, const RaceGoal& goal) {
    const auto law = [&](const ScoreLaw& scores) {
        return rate_law({{scores.mean[i], {exact_root(scores.covariance[i][i])}}}, goal);
    };
    std::vector<std::pair<Ball, RateLaw>> relevant;
    for (std::size_t k = 1; k < laws.size(); ++k) relevant.emplace_back(laws[k].weight, law(laws[k]));
    return mixed_race(law(laws[0]), std::move(relevant), competitor);
}

// A matrix of balls whose rows arb_dot can walk.
class BallTable {
public:
    BallTable(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), data_(_arb_vec_init(static_cast<slong>(rows * columns))) {}
    BallTable(const BallTable&) = delete;
    BallTable& operator=(const BallTable&) = delete;
    ~BallTable() { _arb_vec_clear(data_, static_cast<slong>(rows_ * columns_)); }
    arb_ptr at(std::size_t row, std::size_t column) { return data_ + (row * columns_ + column); }
    [[nodiscard]] arb_srcptr row(std::size_t i) const { return data_ + i * columns_; }
    [[nodiscard]] slong columns() const { return static_cast<slong>(columns_); }

private:
    std::size_t rows_, columns_;
    arb_ptr data_;
};

Ball row_product(const BallTable& a, std::size_t i, const BallTable& b, std::size_t j) {
    Ball sum;
    arb_dot(sum.raw(), nullptr, 0, a.row(i), 1, b.row(j), 1, a.columns(), WorkingPrecision::bits());
    return sum;
}

// sum_l weights_l f(y e^{rest z_l}), f(y) = 1 - e^-y and y e^-y, for y = rate * time at all times of a lattice in u:
// the bare sums of the rule for z, whose error and mass left out the caller accounts for.
class SmoothedHead {
public:
    SmoothedHead(const Ball& rest, const TimeRule& lattice, const TimeRange& range, const RaceGoal& goal)
        : times_(static_cast<std::size_t>(range.last - range.first + 1)) {
        const double width = rest.upper_double();
        // Nodes a whole fraction of the lattice's spacing apart share their exponentials among the times, unless
        // the law is so narrow that they would be too many.
        NormalRule rule = normal_rule(width, goal);
        if (width > 0) {
            const double wanted = lattice.spacing / (width * normal_spacing(width, goal));
            if (wanted < static_cast<double>(rule.nodes.size()) / 4) {
                parts_ = static_cast<std::int64_t>(std::ceil(wanted));
                rule = normal_rule(width, Ball(lattice.spacing) / Ball(parts_) / rest, goal);
            }
        }
        error = rule.error;
        cut = rule.cut;
        const auto nodes = static_cast<std::int64_t>(rule.nodes.size()), reach = (nodes - 1) / 2;
        weights_ = std::make_unique<BallTable>(1, rule.nodes.size());
        for (std::size_t l = 0; l < rule.nodes.size(); ++l) arb_set(weights_->at(0, l), rule.weights[l].raw());
        if (parts_ > 0) {
            const std::int64_t last = (range.last - range.first) * parts_ + nodes;
            for (std::int64_t t = 0; t < last; ++t)
                factors_.push_back(
                    exp(lattice.at(range.first) + Ball(t - reach) * Ball(lattice.spacing) / Ball(parts_)));
        } else {
            for (std::int64_t n = range.first; n <= range.last; ++n)
                for (const Ball& node : rule.nodes) factors_.push_back(exp(lattice.at(n) + rest * node));
        }
        lost_ = std::make_unique<BallTable>(1, factors_.size());
        first_ = std::make_unique<BallTable>(1, factors_.size());
    }

    void at(const Ball& rate) {
        Ball y, lost, running;
        for (std::size_t t = 0; t < factors_.size(); ++t) {
            arb_mul(y.raw(), rate.raw(), factors_[t].raw(), WorkingPrecision::bits());
            race_point(y, lost, running);
            arb_swap(lost_->at(0, t), lost.raw());
            arb_mul(first_->at(0, t), y.raw(), running.raw(), WorkingPrecision::bits());
        }
    }
    [[nodiscard]] Ball lost(std::size_t time) const { return smoothed(*lost_, time); }
    [[nodiscard]] Ball first(std::size_t time) const { return smoothed(*first_, time); }
    [[nodiscard]] std::size_t times() const { return times_; }

    Ball error, cut;

private:
    [[nodiscard]] Ball smoothed(const BallTable& values, std::size_t time) const {
        const std::size_t step =
            parts_ > 0 ? static_cast<std::size_t>(parts_) : static_cast<std::size_t>(weights_->columns());
        Ball sum;
        arb_dot(sum.raw(), nullptr, 0, weights_->row(0), 1, values.row(0) + time * step, 1, weights_->columns(),
                WorkingPrecision::bits());
        return sum;
    }

    std::size_t times_;
    std::int64_t parts_ = 0;
    std::unique_ptr<BallTable> weights_, lost_, first_;
    std::vector<Ball> factors_;  // e^{u + rest z}
};

struct Head {
    TimeRange range;
    std::vector<Ball> times;
    Ball competitor;
};

// One law of two heads' scores on the product of two lattices in u: x_i = mean_i + sigma z and x_j = mean_j + slope z +
// rest z'. Tables over (time, z): g = e^-y, lost = 1 - g and first = y e^-y, those of j averaged over z'.
class PairLaw {
public:
    PairLaw(const ScoreLaw& law, std::size_t i, std::size_t j, const Head& head_i, const Head& head_j,
            const TimeRule& lattice, const RaceGoal& goal) {
        const Ball sigma = exact_root(law.covariance[i][i]);
        Ball slope(0), rest(0);
        if (sigma.zero()) {
            rest = exact_root(law.covariance[j][j]);
        } else {
            slope = law.covariance[i][j] / sigma;
            Ball determinant;
            {
                const WorkingPrecision exactly(WorkingPrecision::exact());
                determinant = law.covariance[i][i] * law.covariance[j][j] - law.covariance[i][j] * law.covariance[i][j];
            }
            if (!determinant.zero()) rest = exact_root(determinant) / sigma;
        }
        const double width = std::max({sigma.upper_double(), slope.upper_double(), (-slope).upper_double()});
        const NormalRule z = normal_rule(width, goal);
        const std::size_t nodes = z.nodes.size();
        SmoothedHead second(rest, lattice, head_j.range, goal), first(Ball(0), lattice, head_i.range, goal);
        error_ = (Ball(1) + z.error) * (Ball(1) + second.error) - Ball(1);
        cut_ = Ball(2) * z.cut + Ball(2) * second.cut;
        kept_ = std::make_unique<BallTable>(first.times(), nodes);
        first_i_ = std::make_unique<BallTable>(first.times(), nodes);
        kept_j_ = std::make_unique<BallTable>(second.times(), nodes);
        lost_j_ = std::make_unique<BallTable>(second.times(), nodes);
        first_j_ = std::make_unique<BallTable>(second.times(), nodes);
        lost_i_.assign(first.times(), Ball(0));
        for (std::size_t k = 0; k < nodes; ++k) {
            first.at(exp(law.mean[i] + sigma * z.nodes[k]));
            for (std::size_t a = 0; a < first.times(); ++a) {
                const Ball lost = first.lost(a);
                arb_set(kept_->at(a, k), (z.weights[k] * (Ball(1) - lost)).raw());
                arb_set(first_i_->at(a, k), (z.weights[k] * first.first(a)).raw());
                lost_i_[a] += z.weights[k] * lost;
            }
            second.at(exp(law.mean[j] + slope * z.nodes[k]));
            for (std::size_t a = 0; a < second.times(); ++a) {
                const Ball lost = second.lost(a);
                arb_set(kept_j_->at(a, k), (Ball(1) - lost).raw());
                arb_set(lost_j_->at(a, k), lost.raw());
                arb_set(first_j_->at(a, k), second.first(a).raw());
            }
        }
    }

    // 1 - phi: 1 - g_i g_j = (1 - g_i) + g_i (1 - g_j).
    [[nodiscard]] Ball lost(std::size_t a, std::size_t c) const {
        return integral_from_sum(raised(lost_i_[a] + row_product(*kept_, a, *lost_j_, c), cut_), error_);
    }
    // E[y_i e^{-y_i - y_j}], the same with y_j, and with both.
    struct Derivatives {
        Ball first, second, both;
    };
    [[nodiscard]] Derivatives derivatives(std::size_t a, std::size_t c, const Ball& lost) const {
        // The mass left out has either sign here, as kept_j_ is 1 minus a sum that lacks some of it.
        const Ball error = error_ * lost + cut_;
        const auto enclosed = [&](const Ball& sum) { return widened(sum, error); };
        return {enclosed(row_product(*first_i_, a, *kept_j_, c)), enclosed(row_product(*kept_, a, *first_j_, c)),
                enclosed(row_product(*first_i_, a, *first_j_, c))};
    }

private:
    std::unique_ptr<BallTable> kept_, first_i_, kept_j_, lost_j_, first_j_;
    std::vector<Ball> lost_i_;
    Ball error_, cut_;
};

Ball pair_both(const std::vector<ScoreLaw>& laws, std::size_t i, std::size_t j, const Head& first, const Head& second,
               const TimeRule& rule, const RaceGoal& goal) {
    const PairLaw null(laws[0], i, j, first, second, rule, goal);
    std::vector<PairLaw> relevant;
    for (std::size_t k = 1; k < laws.size(); ++k) relevant.emplace_back(laws[k], i, j, first, second, rule, goal);
    const std::int64_t L = goal.tokens;
    const Ball others(L - 1), pairs(L - 2);
    Ball sum(0);
    for (std::size_t a = 0; a < first.times.size(); ++a)
        for (std::size_t c = 0; c < second.times.size(); ++c) {
            const Ball e1 = first.times[a] * first.competitor, e2 = second.times[c] * second.competitor;
            Ball relevant_lost(0);
            for (std::size_t k = 0; k < relevant.size(); ++k)
                relevant_lost += laws[k + 1].weight * relevant[k].lost(a, c);
            const Ball lost = null.lost(a, c);
            const auto d = null.derivatives(a, c, lost);
            const Ball but_one = survival_power(lost, L - 2);
            Ball kernel = others * (Ball(2) * d.both + d.first * e2 + d.second * e1) * but_one;
            if (L > 2) kernel += others * pairs * d.first * d.second * survival_power(lost, L - 3);
            if (!e1.zero()) kernel += e1 * e2 * survival_power(lost, L - 1);
            sum += survival_power(relevant_lost, 1) * exp(-e1 - e2) * kernel;
        }
    const Ball h(rule.spacing), error = (Ball(1) + rule.error) * (Ball(1) + rule.error) - Ball(1);
    return integral_from_sum(raised(h * h * sum, first.range.cut + second.range.cut), error);
}

// softmax and softmax-1.
Ball separate_races(const Problem& problem, const State& state, const RaceGoal& goal) {
    const std::vector<ScoreLaw> laws = score_laws(problem, state);
    const bool biased = uses_bias(problem.activation);
    const Ball v(uses_scale(problem.activation) ? state.v : 1.0), H(state.heads());
    const TimeRule rule = time_rule(goal);
    Ball misses(0), both(0);
    std::vector<Head> heads;
    for (std::size_t i = 0; i < laws[0].mean.size(); ++i) {
        const Ball competitor = biased ? exp(Ball(state.b[static_cast<Eigen::Index>(i)])) : Ball(0);
        const OneRace race = head_race(laws, i, competitor, goal);
        const RaceIntegrals integrals = race_integrals(race, goal);
        misses += integrals.misses;
        both += integrals.both;
        Head head{time_range(race, rule, goal), {}, competitor};
        for (std::int64_t n = head.range.first; n <= head.range.last; ++n) head.times.push_back(exp(rule.at(n)));
        heads.push_back(std::move(head));
    }
    for (std::size_t i = 0; i < heads.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) both += Ball(2) * pair_both(laws, i, j, heads[i], heads[j], rule, goal);
    const Ball off = Ball(1) - v;
    return off * off + Ball(2) * v * off * misses / H + v * v * both / (H * H);
}

// Bayes-softmax at r = 0: one race of the rates sum_h e^{b_h + m_h.x}.
Ball shared_race(const Problem& problem, const State& state, const RaceGoal& goal) {
    const Prior& prior = problem.prior;
    // x = mean + A z, A A^T = I + V.
    const auto law = [&](std::size_t k, bool null) {
        const Eigen::Index F = prior.features();
        const Eigen::MatrixXd spread = null ? Eigen::MatrixXd::Zero(F, F) : prior.components()[k].covariance;
        Matrix factor(static_cast<std::size_t>(F), std::vector<Ball>(static_cast<std::size_t>(F), Ball(0)));
        factor[0][0] = sqrt(Ball(1) + Ball(spread(0, 0)));
        if (F == 2) {
            factor[1][0] = Ball(spread(1, 0)) / factor[0][0];
            factor[1][1] = sqrt(Ball(1) + Ball(spread(1, 1)) - factor[1][0] * factor[1][0]);
        }
        std::vector<AffineScore> scores;
        for (Eigen::Index h = 0; h < state.heads(); ++h) {
            AffineScore score{Ball(state.b[h]), {}};
            for (Eigen::Index g = 0; g < F; ++g) {
                Ball slope(0);
                for (Eigen::Index f = g; f < F; ++f)
                    slope += Ball(state.m(h, f)) * factor[static_cast<std::size_t>(f)][static_cast<std::size_t>(g)];
                score.slopes.push_back(std::move(slope));
                if (!null) score.shift += Ball(state.m(h, g)) * exact_mean(prior, k, g);
            }
            scores.push_back(std::move(score));
        }
        return rate_law(scores, goal);
    };
    const std::vector<Ball> weights = exact_weights(prior);
    std::vector<std::pair<Ball, RateLaw>> relevant;
    for (std::size_t k = 0; k < weights.size(); ++k) relevant.emplace_back(weights[k], law(k, false));
    return race_integrals(mixed_race(law(0, true), std::move(relevant), Ball(0)), goal).both;
}

void validate_certified(const Problem& problem, const State& state) {
    validate(problem, state);
    validate_certified_tokens(problem.tokens);
    const std::size_t components = problem.prior.components().size();
    if (components > 3)
        throw InvalidInput("prior", std::to_string(components) + " components", "at most 3 for a certified loss");
    if (problem.activation == Activation::bayes_softmax) {
        if (problem.prior.features() > 2)
            throw InvalidInput("prior", std::to_string(problem.prior.features()) + " features",
                               "at most 2 for a certified loss of bayes-softmax");
        if (!state.r.isZero(0)) throw InvalidInput("state.r", "not zero", "0 for a certified loss of bayes-softmax");
    } else if (state.heads() > 4) {
        throw InvalidInput("state.m", std::to_string(state.heads()) + " heads", "at most 4 for a certified loss");
    }
}

}  // namespace

Enclosure loss_certified(const Problem& problem, const State& state, int digits) {
    validate_certified(problem, state);
    return enclose(digits, problem.tokens, [&](const RaceGoal& goal) {
        return problem.activation == Activation::bayes_softmax ? shared_race(problem, state, goal)
                                                               : separate_races(problem, state, goal);
    });
}

}  // namespace lemmata
