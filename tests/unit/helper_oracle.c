/* helper_oracle.c - models of which ln Z is known
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "test.h"

enum { UNITS = 784, BLOCKS = 49, BLOCK_UNITS = 16 };

static isg_cursor random_of(uint64_t number) {
    return isg_cursor_at(isg_stream_at(number, ISG_PURPOSE_TEST, 784, 0));
}

oracle oracle_small(size_t n, size_t p, double beta, double strength) {
    oracle out = {0};
    isg_cursor random = random_of(1000 * n + p);
    assert_ok(isg_rbm_create(&out.rbm, n, p, beta));
    for (size_t k = 0; k < n * p; k++)
        out.rbm->weights[k] = strength / sqrt(beta * (double)n) * isg_next_normal(&random);
    for (size_t i = 0; i < n; i++)
        out.rbm->b[i] = 0.2 / beta * isg_next_normal(&random);
    for (size_t mu = 0; mu < p; mu++)
        out.rbm->c[mu] = 0.5 * isg_next_normal(&random);
    assert_ok(isg_exact_enumerate(out.rbm, &out.log_z, NULL));
    return out;
}

oracle oracle_classes(double beta, double strength, double field) {
    oracle out = {0};
    isg_cursor random = random_of(2);
    assert_ok(isg_rbm_create(&out.rbm, UNITS, 2, beta));
    for (size_t i = 0; i < UNITS; i++) {
        for (size_t mu = 0; mu < 2; mu++)
            out.rbm->weights[2 * i + mu] = (isg_next_word(&random) >> 31 ? 1 : -1) * strength / 28;
        out.rbm->b[i] = out.rbm->weights[2 * i] > 0 ? field : -field;
    }
    assert_ok(isg_exact_class_sums(out.rbm, &out.log_z, NULL));
    return out;
}

/* The weights of one block, and what it adds to ln Z. */
static double make_block(isg_cursor *random, double beta, double strength, double *w) {
    double square = 0, log_z = 0;
    isg_rbm *block = NULL;
    assert_ok(isg_rbm_create(&block, BLOCK_UNITS, 1, beta));
    for (size_t i = 0; i < BLOCK_UNITS; i++) {
        w[i] = 1 + 0.3 * isg_next_normal(random);
        square += w[i] * w[i];
    }
    for (size_t i = 0; i < BLOCK_UNITS; i++)
        block->weights[i] = w[i] *= sqrt(strength / (beta * square));
    assert_ok(isg_exact_enumerate(block, &log_z, NULL));
    isg_rbm_free(block);
    return log_z;
}

oracle oracle_blocks(double beta, size_t n_strong, double strong, double weak) {
    oracle out = {0};
    isg_cursor random = random_of(3);
    double *normal = calloc(BLOCKS * BLOCKS, sizeof *normal);
    double *turn = calloc(BLOCKS * BLOCKS, sizeof *turn);
    double *r = calloc(BLOCKS * BLOCKS, sizeof *r);
    size_t place[UNITS];
    assert_true(normal && turn && r);
    for (size_t k = 0; k < BLOCKS * BLOCKS; k++)
        normal[k] = isg_next_normal(&random);
    assert_ok(isg_qr(isg_matd_of(turn, BLOCKS, BLOCKS), isg_matd_of(r, BLOCKS, BLOCKS),
                     (isg_matd_view){normal, BLOCKS, BLOCKS, BLOCKS}));
    for (size_t i = 0; i < UNITS; i++)
        place[i] = i;
    isg_shuffle(isg_stream_at(3, ISG_PURPOSE_TEST, 785, 0), place, UNITS);
    assert_ok(isg_rbm_create(&out.rbm, UNITS, BLOCKS, beta));
    for (size_t block = 0; block < BLOCKS; block++) {
        double w[BLOCK_UNITS];
        out.log_z += make_block(&random, beta, block < n_strong ? strong : weak, w);
        for (size_t i = 0; i < BLOCK_UNITS; i++)
            for (size_t mu = 0; mu < BLOCKS; mu++)
                out.rbm->weights[place[block * BLOCK_UNITS + i] * BLOCKS + mu] =
                    w[i] * turn[block * BLOCKS + mu];
    }
    free(normal);
    free(turn);
    free(r);
    return out;
}
