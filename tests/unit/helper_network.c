/* helper_network.c - small projection networks, taken from their definition
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/linalg.h"
#include "test.h"

/* Gauss and Jordan; A is positive definite, so no pivots are needed. Returns det A. */
static double invert(size_t p, const double *a, long double *inverse) {
    long double work[MAX_P * MAX_P], det = 1;
    for (size_t k = 0; k < p * p; k++) {
        work[k] = (long double)a[k];
        inverse[k] = k % (p + 1) == 0;
    }
    for (size_t col = 0; col < p; col++) {
        const long double pivot = work[col * p + col];
        det *= pivot;
        for (size_t k = 0; k < p; k++) {
            work[col * p + k] /= pivot;
            inverse[col * p + k] /= pivot;
        }
        for (size_t row = 0; row < p; row++) {
            const long double factor = work[row * p + col];
            for (size_t k = 0; k < p && row != col; k++) {
                work[row * p + k] -= factor * work[col * p + k];
                inverse[row * p + k] -= factor * inverse[col * p + k];
            }
        }
    }
    return (double)det;
}

network network_create(size_t n, size_t p, double beta, bool has_field) {
    network net = {.n = n, .p = p, .beta = beta};
    int8_t spins[16 * MAX_P];
    isg_cursor random = isg_cursor_at(isg_stream_at(n, ISG_PURPOSE_TEST, p, has_field));
    for (size_t rank = 0; rank < p;) {
        isg_patterns_free(net.patterns);
        for (size_t k = 0; k < n * p; k++)
            spins[k] = isg_next_word(&random) & 1 ? 1 : -1;
        assert_ok(isg_patterns_create(&net.patterns, n, p, spins, NULL));
        assert_ok(isg_patterns_rank(net.patterns, &rank, NULL, 0));
    }
    net.xi = malloc(n * p * sizeof *net.xi);
    assert_non_null(net.xi);
    isg_patterns_fill(net.patterns, isg_matd_of(net.xi, n, p));
    isg_patterns_gram(net.patterns, isg_matd_of(net.gram, p, p));
    net.det = invert(p, net.gram, net.inverse);
    double vectors[MAX_P * MAX_P];
    assert_ok(isg_symmetric_eigen(net.eigenvalues, isg_matd_of(vectors, p, p),
                                  isg_matd_const(isg_matd_of(net.gram, p, p))));
    if (has_field) {
        net.field = malloc(n * sizeof *net.field);
        assert_non_null(net.field);
        for (size_t i = 0; i < n; i++)
            net.field[i] = 0.3 * isg_next_normal(&random);
    }
    return net;
}

void network_release(network *net) {
    isg_patterns_free(net->patterns);
    free(net->xi);
    free(net->field);
}

isg_machine *network_machine(const network *net, int kind) {
    isg_machine *machine = NULL;
    assert_ok(
        isg_machine_create(&machine, (isg_machine_kind)kind, net->patterns, net->field, net->beta));
    return machine;
}

isg_rbm *network_rbm(const network *net) {
    isg_rbm *rbm = NULL;
    double r[MAX_P * MAX_P];
    assert_ok(isg_rbm_create(&rbm, net->n, net->p, net->beta));
    assert_ok(isg_qr(isg_rbm_weights(rbm), isg_matd_of(r, net->p, net->p),
                     isg_matd_const(isg_matd_of(net->xi, net->n, net->p))));
    if (net->field)
        memcpy(rbm->b, net->field, net->n * sizeof *net->field);
    return rbm;
}

double network_energy(const network *net, uint64_t state) {
    long double sums[MAX_P] = {0}, energy = 0;
    for (size_t i = 0; i < net->n; i++) {
        for (size_t mu = 0; mu < net->p; mu++)
            sums[mu] += isg_spin(&state, i) * (long double)net->xi[i * net->p + mu];
        if (net->field)
            energy -= isg_spin(&state, i) * (long double)net->field[i];
    }
    for (size_t mu = 0; mu < net->p; mu++)
        for (size_t nu = 0; nu < net->p; nu++)
            energy -= sums[mu] * net->inverse[mu * net->p + nu] * sums[nu] / 2;
    return (double)energy;
}

void assert_within(double found, double expected, double bound) {
    if (!(fabs(found - expected) <= bound))
        fail_msg("found %.15g, expected %.15g within %g", found, expected, bound);
}
