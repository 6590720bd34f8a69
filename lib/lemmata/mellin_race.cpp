#include <lemmata/mellin_race.hpp>

#include <cmath>

namespace lemmata {

struct MellinRace::Vector {
    explicit Vector(std::int64_t count) : data(_acb_vec_init(count)), size(count) {}
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector() { _acb_vec_clear(data, size); }
    acb_ptr data;
    std::int64_t size;
};

namespace {

struct Complex {
    Complex() { acb_init(z); }
    Complex(const Complex&) = delete;
    Complex& operator=(const Complex&) = delete;
    ~Complex() { acb_clear(z); }
    acb_t z;
};

constexpr double margin = 0.02;  // delta of theorem 5: the strip is -1 + delta <= Re p <= -delta

}  // namespace

MellinRace::MellinRace(const std::vector<Ball>& variances, const RaceGoal& goal) {
    // The error is absolute and meets rates of up to max(1, e^u) L, and u ends soon after log of 1/(least W).
    double largest = 0;
    for (const Ball& v : variances) largest += std::log1p(v.upper_double()) / 2;
    const double wanted = goal.with_tokens() + largest + 20;
    constexpr double pi_double = 3.14159265358979323846;
    const double strip = 0.5 - margin;
    spacing = 2 * pi_double * strip / wanted;
    nodes_ = static_cast<std::int64_t>(2 * wanted / pi_double / spacing) + 1;
    end = static_cast<double>(nodes_ - 1) * spacing;
    bits_ = static_cast<slong>(wanted / std::log(2.0)) + 40;
    const WorkingPrecision precision(bits_);
    strip_error_ = Ball(24) / (pi() * pi() * Ball(margin)) / expm1(Ball(2) * pi() * Ball(strip) / Ball(spacing));
    const Ball last = Ball(nodes_ - 1) * Ball(spacing);
    cut_ = Ball(4) * sqrt(Ball(2) * pi()) / (pi() * pi()) * exp(-pi() * last / Ball(2));

    auto first = std::make_shared<Vector>(nodes_), lost = std::make_shared<Vector>(nodes_);
    Complex p, term;
    for (std::int64_t k = 0; k < nodes_; ++k) {
        arb_set_d(acb_realref(p.z), -0.5);
        arb_set(acb_imagref(p.z), (Ball(k) * Ball(spacing)).raw());
        acb_ptr value = first->data + k;
        acb_add_si(value, p.z, 1, bits_);
        acb_gamma(value, value, bits_);
        for (const Ball& v : variances) {
            // e^{p log(1+v)/2} / sqrt(1 + p a); Re(1 + p a) > 0, so the principal root is the right one.
            const Ball half_log = log1p(v) / Ball(2), a = v / (Ball(1) + v);
            acb_mul_arb(term.z, p.z, half_log.raw(), bits_);
            acb_exp(term.z, term.z, bits_);
            acb_mul(value, value, term.z, bits_);
            acb_mul_arb(term.z, p.z, a.raw(), bits_);
            acb_add_si(term.z, term.z, 1, bits_);
            acb_rsqrt(term.z, term.z, bits_);
            acb_mul(value, value, term.z, bits_);
        }
        acb_div(lost->data + k, value, p.z, bits_);
        acb_neg(lost->data + k, lost->data + k);
    }
    first_ = std::move(first);
    lost_ = std::move(lost);
}

RaceValues MellinRace::at(const Ball& u) const {
    const WorkingPrecision precision(bits_);
    // (h / 2 pi) e^{u/2} (f_0 + 2 Re sum_k f_k e^{-i u t_k}): the terms at -t are the conjugates.
    Ball first(0), lost(0), sine, cosine;
    for (std::int64_t k = 0; k < nodes_; ++k) {
        const Ball angle = u * (Ball(k) * Ball(spacing));
        arb_sin_cos(sine.raw(), cosine.raw(), angle.raw(), bits_);
        if (k == 0) cosine /= Ball(2);
        for (const auto& [sum, values] : {std::pair{&first, &first_}, std::pair{&lost, &lost_}}) {
            arb_addmul(sum->raw(), acb_realref((*values)->data + k), cosine.raw(), bits_);
            arb_addmul(sum->raw(), acb_imagref((*values)->data + k), sine.raw(), bits_);
        }
    }
    const Ball root = exp(u / Ball(2)), scale = Ball(spacing) / pi() * root;
    const Ball one(1), time = root * root;
    const Ball error = strip_error_ * (time.below(one) ? one : one + time) + cut_ * root;
    return {widened(scale * lost, error), widened(scale * first, error), Ball(0)};
}

}  // namespace lemmata
