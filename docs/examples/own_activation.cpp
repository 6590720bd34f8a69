// My own activation: constants of the loss's expansion for symbolic L and H, and escape rates.
#include <lemmata/verify/constants_query.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    using namespace lemmata::verify;
    ConstantsQuery query;
    query.activation = argc > 1 ? argv[1] : "temperature.toml";
    query.orders = {2};
    for (const ConstantRow& row : constants_table(query).rows)
        if (row.key == "c_3^(2)" || row.key == "c_4^(2)")
            std::printf("%s = %s, %s\n", row.key.c_str(), row.closed_form.c_str(), row.sign.c_str());

    // With E theta = 0, a feature of variance V leaves m = r = 0 at the rate 2 (c_3 + c_4) V.
    query.tokens = "5";
    query.heads = "4";
    for (const char* beta : {"1/2", "1", "2"}) {
        query.parameters = {std::string("beta=") + beta};
        double sum = 0;
        for (const ConstantRow& row : constants_table(query).rows)
            if (row.key == "c_3^(2)" || row.key == "c_4^(2)") sum += row.value.value();
        std::printf("beta = %-3s: rate %.6f per unit of variance\n", beta, 2 * sum);
    }
}
