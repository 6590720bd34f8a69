// The formulas themselves. Indices: literal 1 is the relevant token, or head 1; 2 another head.
#include <lemmata/symbolic/printed.hpp>

#include <fmt/format.h>

namespace lemmata::symbolic {
namespace {

const char* const all_three[] = {"softmax", "softmax-1", "bayes-softmax"};

// Pieces that recur: the residual mean_l - delta_l1, and the head sum of a derivative.
const std::string residual = "(1/H*sum(h; s(h, l)) - delta(l, 1))";

void lemma_a2(std::vector<PrintedFormula>& out) {
    const std::string missing = "the derivative of (1/H) sum_h sigma brings a factor 1/H that is not printed";
    for (const std::string activation : all_three) {
        out.push_back({"lemma-A.2/eq-24/" + activation, "(24)", activation, Stage::line,
                       "coefficient of (r r')_12 in the loss, if xi does not depend on the token",
                       "sum(l, l', l''; sum(h; s(h, l; 1 l'))/H*sum(h; s(h, l; 2 l''))/H + " + residual +
                           "*sum(h; s(h, l; 1 l', 2 l''))/H)",
                       "c1",
                       "sum(l, l'; sum(h; s(h, l; 1 l'))/H*sum(h; s(h, l; 2 l'))/H + " + residual +
                           "*sum(h; s(h, l; 1 l', 2 l'))/H)",
                       "xi_h' must carry the token index: chi_hl = ... + sum_h' r_hh' xi_h'l", "wrong-index"});
        out.push_back({"lemma-A.2/eq-22/" + activation, "(22)", activation, Stage::start,
                       "component x Cov(theta) E theta of the gradient in m_h at m_h = x E theta, to first order in x",
                       "0", "2*(H*(c2 + c4) - (c3 + c4))", "2*(H*(c2 + c4) - (c3 + c4))",
                       "w.theta and E theta.theta need not be independent for w orthogonal to E theta: the gradient is "
                       "along E theta only if Cov(theta) E theta is",
                       "missing-hypothesis"});
        const std::string gradient = "sum(l; " + residual + "*sum(h, l'; s(h, l; 1 l')*delta(l', 1)))";
        out.push_back({"lemma-A.2/eq-25/" + activation, "(25)-(26)", activation, Stage::any,
                       "gradient in m_h per E theta, at m = r = 0", "2*" + gradient, "-c", "2/H*" + gradient, missing,
                       "wrong-factor"});
        out.push_back({"lemma-A.2/eq-27/" + activation, "(27)", activation, Stage::start,
                       "gradient in m_h per E theta, at r = 0", "2*" + gradient, "-c", "2/H*" + gradient, missing,
                       "wrong-factor"});
        const std::string relevant = "sum(l; " + residual + "*sum(h; s(h, l; 1 1)))";
        out.push_back({"lemma-A.2/eq-28/" + activation, "(28)", activation, Stage::start,
                       "gradient in m_h per E theta, at r = 0", "2*" + relevant, "-c", "2/H*" + relevant, missing,
                       "wrong-factor"});
        const std::string split =
            "((1/H*sum(h; s(h, 1)) - 1)*sum(h; s(h, 1; 1 1)) + sum(l; (1 - delta(l, 1))/H*sum(h; s(h, l))*sum(h; s(h, "
            "l; 1 1))))";
        out.push_back({"lemma-A.2/eq-29/" + activation, "(29)", activation, Stage::start,
                       "gradient in m_h per E theta, at r = 0", "2*" + split, "-c", "2/H*" + split, missing,
                       "wrong-factor"});
    }
}

void lemma_a4(std::vector<PrintedFormula>& out) {
    const std::string one = "softmax-1";
    out.push_back({"lemma-A.4/eq-33", "(33)", one, Stage::any, "derivative of the loss in b_h, at equal biases",
                   "-2*(L*v/(L + B) - 1)*v/H*B/(L + B)^2", "gb", "", ""});
    out.push_back({"lemma-A.4/eq-33/along-b", "(33), read as the derivative along b~", one, Stage::any,
                   "derivative of the loss along b~ (all b_h together)", "-2*(L*v/(L + B) - 1)*v/H*B/(L + B)^2", "H*gb",
                   "-2*(L*v/(L + B) - 1)*v*B/(L + B)^2",
                   "printed is the derivative in one b_h; along b~ = b_1 = ... = b_H there is no 1/H", "wrong-factor"});
    out.push_back({"lemma-A.4/eq-34", "(34)", one, Stage::any, "derivative of the loss in v",
                   "2*(L*v/(L + B) - 1)*1/(L + B)", "gv", "", ""});
    out.push_back({"lemma-A.4/fixed-line", "Lemma A.4", one, Stage::any, "the scale at which the gradients vanish",
                   "(L + B)/L", "vline", "", ""});
    out.push_back({"lemma-A.4/flat-along-line", "Lemma A.4", one, Stage::line,
                   "determinant of the Hessian in (b~, v): one direction is the line itself", "0", "Ebb*Evv - Ebv^2",
                   "", ""});
}

void lemma_a5(std::vector<PrintedFormula>& out) {
    for (const std::string activation : all_three) {
        const Stage line = Stage::line;
        const std::string square = "sum(h; s(h, l; 1 l'))^2";
        out.push_back({"lemma-A.5/c1/" + activation, "(44), (51)", activation, line, "c_1^(2)",
                       "1/H^2*sum(l, l'; " + square + ")", "c1", "", ""});
        out.push_back({"lemma-A.5/eq-42/" + activation, "(42)-(43)", activation, line,
                       "coefficient of (r r')_12 in the loss",
                       "1/H^2*sum(l, l'; sum(h; s(h, l; 1 l'))*sum(h; s(h, l; 2 l')))", "q_ab", "", ""});
        out.push_back({"lemma-A.5/eq-50/" + activation, "(50), (55), (37)", activation, line,
                       "the quadratic form at F = 1, all m_h = 1, E theta = 0",
                       "c1*H^2 + (c2 + c4)*H^2*V - (c3 + c4)*H*V", "H^2*q_ab + H*q_aa + V*(H^2*M_ab + H*M_aa)", "",
                       ""});
        out.push_back({"lemma-A.5/c2/" + activation, "(52)", activation, line, "c_2^(2)",
                       "1/H^2*sum(l, l'; sum(h; s(h, l; 1 1))^2)", "c2", "1/H^2*sum(l; sum(h; s(h, l; 1 1))^2)",
                       "nothing summed depends on l', so the printed sum is L times the constant", "wrong-index"});
        out.push_back({"lemma-A.5/eq-53/" + activation, "(53)", activation, line, "c_3^(2)",
                       "-1/H*sum(l; " + residual + "*sum(h; s(h, l; 1 1, 1 1)))", "c3", "", ""});
        out.push_back({"lemma-A.5/eq-54/" + activation, "(54)", activation, line, "c_4^(2)",
                       "1/H*sum(l; " + residual + "*sum(h; s(h, l; 1 1, 2 1)))", "c4", "", ""});
        // Averages over xi and chi* pair the tokens l' and l'' of a product: delta(l', l'').
        const std::string missed = "(delta(l, 1) - 1/H*sum(h; s(h, l)))";
        const std::string slopes = "sum(h; s(h, l; 1 l'))*sum(h; s(h, l; 2 l''))*delta(l', l'')";
        const std::string bends = "sum(h; s(h, l; 1 l', 2 l''))*delta(l', l'')";
        out.push_back({"lemma-A.5/eq-39/" + activation, "(38)-(39)", activation, Stage::any,
                       "coefficient of (r r')_12 in the loss, xi averaged",
                       "sum(l, l', l''; -2*" + missed + "*1/H*1/2*" + bends + " + 1/H*1/H*" + slopes + ")", "q_ab", "",
                       ""});
        out.push_back({"lemma-A.5/eq-40/" + activation, "(40)", activation, Stage::any,
                       "coefficient of (r r')_12 in the loss, xi averaged",
                       "-sum(l, l', l''; 1/H*" + missed + "*" + bends + ") + sum(l, l', l''; 1/H^2*" + slopes + ")",
                       "q_ab", "", ""});
        const std::string value = "H^2*c1 + H*c6 + V*(H^2*(c2 + c4) - H*(c3 + c4))";
        const std::string all_slopes =
            "sum(h, h'; s(h, l; h' l'))*sum(h, h'; s(h, l; h' l''))*delta(l', l'')*(1 + delta(l', 1)*V)";
        const std::string all_bends = "sum(h, h', h''; s(h, l; h' l', h'' l''))*delta(l', l'')*(1 + delta(l', 1)*V)";
        out.push_back({"lemma-A.5/eq-46/" + activation, "(45)-(46)", activation, Stage::any,
                       "the quadratic form at F = 1, all m_h = 1, E theta = 0, chi* averaged",
                       "sum(l, l', l''; -2*" + missed + "*1/H*1/2*" + all_bends + " + 1/H*1/H*" + all_slopes + ")",
                       value, "", ""});
        out.push_back(
            {"lemma-A.5/eq-47/" + activation, "(47)", activation, Stage::any,
             "the quadratic form at F = 1, all m_h = 1, E theta = 0, chi* averaged",
             "-sum(l, l', l''; 1/H*" + missed + "*" + all_bends + ") + sum(l, l', l''; 1/H^2*" + all_slopes + ")",
             value, "", ""});
        out.push_back({"lemma-A.5/eq-47/linear/" + activation, "(47), term of first order", activation, Stage::any,
                       "gradient in m_h per E theta, at m = r = 0",
                       "-2*sum(l; 1/H*" + missed + "*sum(h, l'; s(h, l; 1 l')*delta(l', 1)))", "-c", "", ""});
        out.push_back({"lemma-A.5/eq-48/linear/" + activation, "(48), term of first order", activation, Stage::any,
                       "gradient in m_h per E theta, at m = r = 0",
                       "2*sum(l; 1/H*" + residual + "*sum(h; s(h, l; 1 1)))", "-c", "", ""});
        const std::string by_residual = "sum(l; 1/H*" + residual + "*sum(h, h', h''; ";
        out.push_back({"lemma-A.5/eq-48/" + activation, "(48)", activation, Stage::any,
                       "the quadratic form at F = 1, all m_h = 1, E theta = 0",
                       by_residual + "sum(l'; s(h, l; h' l', h'' l')*(1 + delta(l', 1)*V)))) + 1/H^2*sum(l, l', h1, "
                                     "h1', h2, h2'; s(h1, l; h1' l')*s(h2, l; h2' l')*(1 + delta(l', 1)*V))",
                       value, "", ""});
        const auto simplified = [&](const char* second_sum) {
            return fmt::format(
                "{}s(h, l; h' 1, h'' 1)))*V + 1/H^2*sum({}; sum(l, l'; sum(h; s(h, l; h' l'))*sum(h; s(h, l; h'' "
                "l'))*(1 + delta(l', 1)*V)))",
                by_residual, second_sum);
        };
        out.push_back({"lemma-A.5/eq-49/" + activation, "(49)", activation, line,
                       "the quadratic form at F = 1, all m_h = 1, E theta = 0", simplified("h, h'"), value,
                       simplified("h', h''"), "the second sum runs over h, h' while its terms depend on h', h''",
                       "wrong-index"});
    }
    // (41) carries r_h'.r_h' in the residual's term where r_h'.r_h'' is meant. For the paper's activations that term
    // vanishes or has h' = h'', so the line is true all the same; for others it is not.
    const std::string same_row =
        "sum(l; 1/H*" + residual + "*sum(h, h', l'; s(h, l; 1 l', h' l'))) + 1/H^2*sum(l, l'; sum(h; s(h, l; 1 l'))^2)";
    for (const std::string activation : all_three)
        out.push_back({"lemma-A.5/eq-41/" + activation, "(41)", activation, Stage::any,
                       "coefficient of (r r')_11 in the loss", same_row, "c1 + c6", "", ""});
    out.push_back({"lemma-A.5/eq-41/any-activation", "(41), as a step that knows nothing of sigma",
                   "bayes-softmax-with-sink", Stage::any,
                   "coefficient of (r r')_11 in the loss, for a fourth sigma (the paper's three do not tell)", same_row,
                   "c1 + c6",
                   "sum(l; 1/H*" + residual +
                       "*sum(h, l'; s(h, l; 1 l', 1 l'))) + 1/H^2*sum(l, l'; sum(h; s(h, l; 1 "
                       "l'))^2)",
                   "the residual's term carries r_h'.r_h' where r_h'.r_h'' is meant", "wrong-index"});
    const std::string table = "table after (55)";
    out.push_back(
        {"lemma-A.5/c3/softmax", table, "softmax", Stage::line, "c_3^(2)", "1/H*(L - 1)/L^2*(1 - 2/L)", "c3", "", ""});
    out.push_back({"lemma-A.5/c3/softmax-1", table, "softmax-1", Stage::line, "c_3^(2)",
                   "v/H*(L - 1)/L/(L + B)*(1 - 2/(L + B))", "c3", "", ""});
    out.push_back({"lemma-A.5/c3/bayes-softmax", table, "bayes-softmax", Stage::line, "c_3^(2)",
                   "1/H*(L - 1)/L^2*(1 - 2/(H*L))", "c3", "", ""});
    out.push_back({"lemma-A.5/c4/softmax", table, "softmax", Stage::line, "c_4^(2)", "0", "c4", "", ""});
    out.push_back({"lemma-A.5/c4/softmax-1", table, "softmax-1", Stage::line, "c_4^(2)", "0", "c4", "", ""});
    out.push_back({"lemma-A.5/c4/bayes-softmax", table, "bayes-softmax", Stage::line, "c_4^(2)", "(L - 1)/L*2/(H*L)^2",
                   "c4", "", ""});
    out.push_back({"lemma-A.5/eq-56", "(56)", "softmax-1", Stage::line, "second derivative in b_h, b_h'",
                   "2*v^2*L/H^2*B^2/(L + B)^4", "2*c5", "", ""});
    out.push_back({"lemma-A.5/eq-57", "(57)", "bayes-softmax", Stage::line, "second derivative in b_h, b_h'", "0",
                   "2*c5", "", ""});
    const std::string cubic = "for a skewed theta there is a term of third order, so the remainder is O(|m|^3)";
    for (const std::string activation : all_three)
        out.push_back({"lemma-A.5/remainder-m/" + activation, "(37), (13)", activation, Stage::line,
                       "coefficient of sum_h E (m_h.theta)^3, of third order", "0", "K", "K", cubic, "wrong-order"});
    for (const std::string activation : {"softmax-1", "bayes-softmax"})
        out.push_back({"lemma-A.5/remainder-mb/" + activation, "(37)", activation, Stage::line,
                       "coefficient of sum_h b_h m_h' Cov m_h, of third order", "0", "Mb", "Mb",
                       "m drives the biases at second order, so the remainder is O(|b| |m|^2)", "wrong-order"});
    out.push_back({"lemma-A.5/remainder-b/softmax-1", "(37)", "softmax-1", Stage::line,
                   "coefficient of sum_h b_h^2 sum_h b_h, of third order", "0", "bbb", "bbb",
                   "the biases of softmax-1 have terms of third order, so the remainder is O(|b|^3)", "wrong-order"});
}

void lemma_a6(std::vector<PrintedFormula>& out) {
    const std::string softmax = "softmax";
    const auto add = [&](const std::string& part, const std::string& equation, const std::string& quantity,
                         const std::string& printed, const std::string& derived, const std::string& corrected = "",
                         const std::string& note = "", const std::string& finding = "") {
        out.push_back({"lemma-A.6/" + part, equation, softmax, Stage::line, quantity, printed, derived, corrected, note,
                       finding});
    };
    add("eq-63", "(63)-(66)", "coefficient of sum_h m_h' Cov m_h in (1), at mbar = 0", "c2", "-c3", "-c3",
        "(1) carries the residual, whose coefficient is -c_3^(2), not c_2^(2)", "wrong-index");
    add("eq-67/identity", "(67)-(68)", "coefficient of sum_hh' m_h' m_h' in (2), at mbar = 0", "c1", "c1");
    add("eq-67", "(67)-(68)", "coefficient of sum_hh' m_h' Cov m_h' in (2), at mbar = 0", "c3", "c2", "c2",
        "(2) is the square of first derivatives, whose coefficient is c_2^(2), not c_3^(2)", "wrong-index");
    add("eq-65/sum-rule", "after (65)", "sum over l' of the second derivatives", "sum(l'; s(1, 1; 1 l', 1 l'))", "0");
    const std::string fourth = "(s(1, l) - delta(l, 1))*s(1, l; ";
    add("ct1", "(65)", "ct_1^(4)", "W/(2*H^2)*sum(l; s(1, l; 1 1, 1 1)^2)", "ct1");
    add("eq-64", "(64)", "ct_1^(4), before the sum rule",
        "1/(2*H^2)*sum(l; sum(l''; s(1, l; 1 l'', 1 l'')*(1 + delta(l'', 1)*W))*s(1, l; 1 1, 1 1))", "ct1");
    add("ct2", "(65)", "ct_2^(4)",
        "1/(2*H)*sum(l, l', l''; " + fourth + "1 l', 1 l', 1 l'', 1 l'')*(1 + delta(l'', 1)*W))", "ct2");
    add("ct3", "(65)", "ct_3^(4)", "1/(2*H)*sum(l, l''; " + fourth + "1 1, 1 1, 1 l'', 1 l'')*(1 + delta(l'', 1)*W))",
        "ct3");
    add("ct4", "(67)", "ct_4^(4)", "1/H^2*sum(l, l', l''; s(1, l; 1 l', 1 l'')^2*(1 + delta(l'', 1)*W))", "ct4");
    add("ct5", "(67)", "ct_5^(4)", "1/H^2*sum(l, l''; s(1, l; 1 1, 1 l'')^2*(1 + delta(l'', 1)*W))", "ct5");
    add("no-identity-part", "(66)", "coefficient of |mbar|^2 I_H x I_F", "0", "ct6");
    const std::string twice = "the Hessian of a quadratic form a(m, m) is 2 a";
    add("c1", "(70), (58), (14)", "c_1^(4)", "V*ct1", "C1", "2*V*ct1", twice, "wrong-factor");
    add("c2", "(70), (58), (14)", "c_2^(4)", "ct2 + ct3*V", "C2", "2*(ct2 + ct3*V)", twice, "wrong-factor");
    add("c3", "(70), (58), (14)", "c_3^(4)", "ct4 + ct5*V", "C3", "2*(ct4 + ct5*V)", twice, "wrong-factor");
    add("remainder", "(58), (14)", "coefficient of E theta_fbar^3 sum_h m_hf^2 mbar_h^3", "0", "skew", "skew",
        "for a skewed theta the next term is O(|mbar|^3), not O(|mbar|^4)", "wrong-order");
}

}  // namespace

const std::vector<PrintedFormula>& printed_formulas() {
    static const std::vector<PrintedFormula> formulas = [] {
        std::vector<PrintedFormula> out;
        lemma_a2(out);
        lemma_a4(out);
        lemma_a5(out);
        lemma_a6(out);
        return out;
    }();
    return formulas;
}

const std::vector<SignClaim>& sign_claims() {
    static const std::vector<SignClaim> claims = [] {
        std::vector<SignClaim> out;
        for (const std::string activation : all_three) {
            const auto add = [&](const std::string& id, const std::string& equation, Stage stage,
                                 const std::string& quantity, const std::string& formula, Sign sign, int tokens) {
                out.push_back({fmt::format("{}/{}", id, activation), equation, activation, stage, quantity, formula,
                               sign, tokens, 0});
            };
            add("lemma-A.2/c-positive", "Lemma A.2", Stage::start, "c^(1) at r = 0", "c", Sign::positive, 2);
            add("lemma-A.5/c1-positive", "(37), (44)", Stage::line, "c_1^(2)", "c1", Sign::positive, 3);
            add("lemma-A.5/c2-positive", "(37), (52)", Stage::line, "c_2^(2)", "c2", Sign::positive, 3);
            add("lemma-A.5/c3-positive", "(37)", Stage::line, "c_3^(2)", "c3", Sign::positive, 3);
            add("lemma-A.5/c4-nonnegative", "(37)", Stage::line, "c_4^(2)", "c4", Sign::nonnegative, 3);
            add("lemma-A.5/c5-nonnegative", "(37)", Stage::line, "c_5^(2)", "c5", Sign::nonnegative, 3);
            add("prop-III.4/r-fourth-order", "App. A.2.1", Stage::line,
                "coefficient of tr R^2, which decides where R 1_H = 0", "RR", Sign::positive, 3);
            add("prop-III.4/r-fourth-order-trace", "App. A.2.1", Stage::line,
                "coefficient of (tr R)^2, which adds to it", "RtRt", Sign::nonnegative, 3);
            add("prop-III.4/r-hessian", "App. A.2.1 (stable r = 0, by Lemma III.1)", Stage::line,
                "Hessian's coefficient in R for r orthogonal to 1_H", "c6", Sign::positive, 3);
            out.back().corrected_formula = "RR";
            out.back().note =
                "the Hessian vanishes for r orthogonal to 1_H; what makes r = 0 stable there is the fourth order, "
                "where tr R^2 has a positive coefficient";
            out.back().finding = "proof-gap";
            add("prop-III.4/descent", "App. A.2.1", Stage::line, "Hessian's eigenvalue orthogonal to 1_H",
                "-2*(c3 + c4)*V", Sign::negative, 3);
            add("prop-III.4/avoids-common", "App. A.2.1", Stage::line,
                "eigenvalue along 1_H minus that orthogonal to it", "2*H*(c1 + (c2 + c4)*V)", Sign::positive, 3);
        }
        out.push_back({"lemma-A.4/eq-35", "(35)", "softmax-1", Stage::start, "derivative along b~", "H*gb",
                       Sign::positive, 2, 0});
        out.push_back(
            {"lemma-A.4/eq-36", "(36)", "softmax-1", Stage::start, "derivative in v", "gv", Sign::negative, 2, 0});
        out.push_back({"lemma-A.4/attractive", "Lemma A.4", "softmax-1", Stage::line,
                       "rate of return to the line: trace of the Hessian seen by the flow", "Ebb/H + Evv",
                       Sign::positive, 2, 0});
        const auto a6 = [&](const std::string& id, const std::string& equation, const std::string& quantity,
                            const std::string& formula, int tokens, int corrected) {
            out.push_back({id, equation, "softmax", Stage::line, quantity, formula, Sign::positive, tokens, corrected});
        };
        a6("lemma-A.6/ct1-positive", "after (65)", "ct_1^(4)", "ct1", 3, 0);
        a6("lemma-A.6/ct4-positive", "after (67)", "ct_4^(4)", "ct4", 2, 3);
        a6("lemma-A.6/ct5-positive", "after (67)", "ct_5^(4)", "ct5", 2, 3);
        a6("lemma-A.6/c1-positive", "(58), (14)", "c_1^(4)", "C1", 3, 0);
        a6("lemma-A.6/c3-positive", "(58), (14)", "c_3^(4)", "C3", 3, 0);
        return out;
    }();
    return claims;
}

}  // namespace lemmata::symbolic
