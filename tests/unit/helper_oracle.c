/* helper_oracle.c - models of which ln Z is known
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "linalg/linalg.h"
#include "log_z/exact.h"
#include "test.h"

enum { UNITS = 784, BLOCKS = 49, BLOCK_UNITS = 16 };

static isg_cursor random_of(uint64_t number) {
    return isg_cursor_at(isg_stream_at(number, ISG_PURPOSE_TEST, 784, 0));
}

/* Normal weights and fields; ln Z is left for the caller. */
static oracle make_normal(size_t n, size_t p, double beta, double strength) {
    oracle out = {0};
    isg_cursor random = random_of(1000 * n + p);
    assert_ok(isg_rbm_create(&out.rbm, n, p, beta));
    for (size_t k = 0; k < n * p; k++)
        out.rbm->weights[k] = strength / sqrt(beta * (double)n) * isg_next_normal(&random);
    for (size_t i = 0; i < n; i++)
        out.rbm->b[i] = 0.2 / beta * isg_next_normal(&random);
    for (size_t mu = 0; mu < p; mu++)
        out.rbm->c[mu] = 0.5 * isg_next_normal(&random);
    return out;
}

oracle oracle_small(size_t n, size_t p, double beta, double strength) {
    oracle out = make_normal(n, p, beta, strength);
    assert_ok(isg_exact_enumerate(out.rbm, &out.log_z, NULL));
    return out;
}

oracle oracle_stiff(void) {
    enum { FREE = 10, N = 20, P = 12 };
    oracle out = {0};
    isg_cursor random = random_of(3);
    assert_ok(isg_rbm_create(&out.rbm, N, P, 20));
    for (size_t i = 0; i < FREE; i++)
        for (size_t mu = 0; mu < P - FREE; mu++)
            out.rbm->weights[i * P + mu] = sqrt(0.5) * isg_next_normal(&random);
    for (size_t k = 0; k < FREE; k++) {
        out.rbm->weights[(FREE + k) * P + P - FREE + k] = 1;
        out.rbm->b[FREE + k] = 0.003 * (1 + 0.3 * (double)k);
    }
    assert_ok(isg_exact_enumerate(out.rbm, &out.log_z, NULL));
    return out;
}

oracle oracle_wide(size_t n, size_t p, double beta, double strength) {
    oracle out = make_normal(n, p, beta, strength);
    double error = 0;
    assert_ok(isg_exact_quadrature(out.rbm, &out.log_z, &error, NULL));
    assert_true(error < 1e-6);
    return out;
}

oracle oracle_hebbian(size_t n, size_t p, double beta, double field) {
    oracle out = {0};
    isg_cursor random = random_of(2000 * n + p);
    assert_ok(isg_rbm_create(&out.rbm, n, p, beta));
    for (size_t k = 0; k < n * p; k++)
        out.rbm->weights[k] = (isg_next_word(&random) >> 31 ? 1 : -1) / sqrt((double)n);
    for (size_t i = 0; i < n; i++)
        out.rbm->b[i] = field * isg_next_normal(&random);
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

/* 49 blocks before they are turned, and where their units go. */
typedef struct blocks {
    isg_rbm *each[BLOCKS]; /* 16 units, one hidden unit */
    double turn[BLOCKS * BLOCKS];
    size_t place[UNITS];
} blocks;

static isg_rbm *make_block(isg_cursor *random, double beta, double strength) {
    double square = 0;
    isg_rbm *block = NULL;
    assert_ok(isg_rbm_create(&block, BLOCK_UNITS, 1, beta));
    for (size_t i = 0; i < BLOCK_UNITS; i++) {
        block->weights[i] = 1 + 0.3 * isg_next_normal(random);
        square += block->weights[i] * block->weights[i];
    }
    for (size_t i = 0; i < BLOCK_UNITS; i++)
        block->weights[i] *= sqrt(strength / (beta * square));
    return block;
}

static blocks *make_blocks(double beta, size_t n_strong, double strong, double weak) {
    isg_cursor random = random_of(3);
    blocks *out = calloc(1, sizeof *out);
    double *normal = calloc(BLOCKS * BLOCKS, sizeof *normal);
    double *r = calloc(BLOCKS * BLOCKS, sizeof *r);
    assert_true(out && normal && r);
    for (size_t k = 0; k < BLOCKS * BLOCKS; k++)
        normal[k] = isg_next_normal(&random);
    assert_ok(isg_qr(isg_matd_of(out->turn, BLOCKS, BLOCKS), isg_matd_of(r, BLOCKS, BLOCKS),
                     (isg_matd_view){normal, BLOCKS, BLOCKS, BLOCKS}));
    for (size_t i = 0; i < UNITS; i++)
        out->place[i] = i;
    isg_shuffle(isg_stream_at(3, ISG_PURPOSE_TEST, 785, 0), out->place, UNITS);
    for (size_t block = 0; block < BLOCKS; block++)
        out->each[block] = make_block(&random, beta, block < n_strong ? strong : weak);
    free(normal);
    free(r);
    return out;
}

static void free_blocks(blocks *from) {
    for (size_t block = 0; block < BLOCKS; block++)
        isg_rbm_free(from->each[block]);
    free(from);
}

oracle oracle_blocks(double beta, size_t n_strong, double strong, double weak) {
    oracle out = {0};
    blocks *from = make_blocks(beta, n_strong, strong, weak);
    assert_ok(isg_rbm_create(&out.rbm, UNITS, BLOCKS, beta));
    for (size_t block = 0; block < BLOCKS; block++) {
        const double *w = from->each[block]->weights;
        double log_z = 0;
        assert_ok(isg_exact_enumerate(from->each[block], &log_z, NULL));
        out.log_z += log_z;
        for (size_t i = 0; i < BLOCK_UNITS; i++)
            for (size_t mu = 0; mu < BLOCKS; mu++)
                out.rbm->weights[from->place[block * BLOCK_UNITS + i] * BLOCKS + mu] =
                    w[i] * from->turn[block * BLOCKS + mu];
    }
    free_blocks(from);
    return out;
}

uint64_t *oracle_blocks_samples(double beta, size_t n_strong, double strong, double weak,
                                size_t count, uint64_t seed) {
    const size_t words = (UNITS + 63) / 64;
    blocks *from = make_blocks(beta, n_strong, strong, weak);
    uint64_t *spins = calloc(count * words, sizeof *spins);
    uint64_t *own = calloc(count, sizeof *own);
    assert_true(spins && own);
    for (size_t block = 0; block < BLOCKS; block++) {
        assert_ok(isg_exact_samples(from->each[block], count, BLOCKS * seed + block, own));
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < BLOCK_UNITS; i++)
                isg_bit_assign(spins + k * words, from->place[block * BLOCK_UNITS + i],
                               own[k] >> i & 1);
    }
    free(own);
    free_blocks(from);
    return spins;
}
