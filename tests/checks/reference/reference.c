/* reference.c - ln Z of the first class patterns of MNIST, by quadrature
 *
 * SPDX-License-Identifier: MIT
 *
 *     reference P.npz
 *
 * Prints a line "beta p ln-Z error" for each combination below.
 */
#include <isinglass.h>
#include <stdio.h>
#include <stdlib.h>

static void must(isg_status status) {
    if (status == ISG_OK)
        return;
    fprintf(stderr, "reference: %s\n", isg_error_message());
    exit(1);
}

/* The first p of the patterns. */
static isg_patterns *leading(const isg_patterns *all, size_t p) {
    const size_t n = isg_patterns_describe(all).n_visible;
    int8_t *xi = malloc(n * p);
    if (!xi)
        exit(1);
    for (size_t i = 0; i < n; i++)
        for (size_t mu = 0; mu < p; mu++)
            xi[i * p + mu] = isg_patterns_row(all, mu)[i / 64] >> i % 64 & 1 ? 1 : -1;
    isg_patterns *out = NULL;
    must(isg_patterns_create(&out, n, p, xi, NULL));
    free(xi);
    return out;
}

int main(int argc, char **argv) {
    static const struct {
        double beta;
        size_t p;
    } cases[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {2, 3}, {4, 1}, {4, 2}};
    isg_patterns *all = NULL;
    if (argc != 2)
        return 2;
    must(isg_patterns_load(&all, argv[1]));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        isg_patterns *some = leading(all, cases[k].p);
        isg_mapping_options options = isg_mapping_defaults();
        options.beta = cases[k].beta;
        isg_rbm *rbm = NULL;
        double log_z = 0, error = 0;
        must(isg_rbm_from_patterns(&rbm, some, &options, NULL));
        must(isg_exact_quadrature(rbm, &log_z, &error, NULL));
        printf("%g %zu %.6f %.0e\n", cases[k].beta, cases[k].p, log_z, error);
        isg_rbm_free(rbm);
        isg_patterns_free(some);
    }
    isg_patterns_free(all);
    return 0;
}
