/* test_stiff.c - spins drawn given all others, against the probabilities of all states
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>

#include "base/elementary.h"
#include "base/memory.h"
#include "helper_oracle.h"
#include "helper_statistics.h"
#include "log_z/deep_states.h"
#include "log_z/stiff.h"

enum { N = 6, P = 3, STATES = 1 << N, GROUPS = 500, CHAINS = GROUPS * ISG_GIBBS_CHAINS };

typedef struct bed {
    oracle known;
    isg_spin_model model;
    isg_anneal anneal;
    isg_stiff stiff;
    double radius2; /* of |h|^2 where chains may be */
    double h[STATES * P], probability[STATES];
} bed;

static bool is_near(const void *user, const double *h) {
    const bed *my = user;
    return h[0] * h[0] + h[1] * h[1] + h[2] * h[2] <= my->radius2;
}

/* Probabilities are those of the states where chains may be. */
static void start(bed *my, double strength, double radius2) {
    double sum = 0;
    *my = (bed){.known = oracle_small(N, P, 1, strength), .radius2 = radius2};
    assert_ok(isg_spin_model_start(&my->model, my->known.rbm));
    assert_ok(isg_anneal_create(&my->anneal, my->known.rbm, 1, ISG_PURPOSE_WELLS));
    assert_ok(isg_stiff_find(&my->stiff, &my->model));
    for (uint64_t s = 0; s < STATES; s++) {
        const double energy = isg_spin_model_energy(&my->model, &s, my->h + s * P);
        my->probability[s] = is_near(my, my->h + s * P) ? isg_exp(-energy) : 0;
        sum += my->probability[s];
    }
    for (size_t s = 0; s < STATES; s++)
        my->probability[s] /= sum;
}

static void finish(bed *my) {
    isg_stiff_release(&my->stiff);
    isg_anneal_release(&my->anneal);
    isg_release(my->model.field);
    isg_rbm_free(my->known.rbm);
}

/* How surprising the states are, if they began with these probabilities. */
static double surprise_after(const bed *my, size_t draws) {
    size_t counts[STATES] = {0}, cells = 0, seen[STATES] = {0};
    double expected[STATES], h[P];
    isg_anneal_group g = {0};
    isg_cursor random = isg_cursor_at(isg_stream_at(7, ISG_PURPOSE_TEST, 0, 0));
    assert_ok(isg_anneal_group_create(&g, &my->anneal.w));
    for (size_t n = 0; n < GROUPS; n++) {
        isg_anneal_group_take(&g, n, CHAINS);
        for (size_t k = 0; k < g.count; k++) {
            double u = isg_next_uniform(&random);
            uint64_t s = 0;
            while (s + 1 < STATES && u >= my->probability[s])
                u -= my->probability[s++];
            g.spins[k] = s;
            my->anneal.kernels->hidden_input(&my->anneal.w, 1, g.spins + k,
                                             g.input + k * my->anneal.w.stride);
            for (size_t t = 0; t < draws; t++)
                isg_stiff_draw(&my->stiff, &my->anneal, &g, k, t, h, is_near, my);
            counts[g.spins[k]]++;
        }
    }
    isg_anneal_group_release(&g);
    for (size_t s = 0; s < STATES; s++) {
        if (my->probability[s] == 0)
            assert_int_equal(counts[s], 0);
        if (my->probability[s] * CHAINS < 1) /* too few for chi-square */
            continue;
        seen[cells] = counts[s];
        expected[cells++] = my->probability[s] * CHAINS;
    }
    return chi_square_score(seen, expected, cells);
}

static void test_law(void **state) {
    (void)state;
    const double radii[] = {1e300, 30, 12};
    for (size_t k = 0; k < 3; k++) {
        bed my;
        start(&my, 4, radii[k]);
        assert_true(my.stiff.count >= 3);
        const double once = surprise_after(&my, 1), often = surprise_after(&my, 20);
        print_message("|h|^2 up to %g: %.2f and %.2f\n", radii[k], once, often);
        assert_true(once < 5 && often < 5);
        finish(&my);
    }
}

/* The list is of the spins whose own part of the field is large. */
static void test_list(void **state) {
    (void)state;
    bed my;
    start(&my, 0.1, 1e300);
    assert_int_equal(my.stiff.count, 0);
    finish(&my);
    start(&my, 4, 1e300);
    for (size_t q = 0; q < my.stiff.count; q++) {
        double square = 0;
        for (size_t mu = 0; mu < P; mu++)
            square += pow(my.model.weights[my.stiff.units[q] * P + mu], 2);
        assert_true(square > 2 && fabs(square - my.stiff.squares[q]) < 1e-12 * square);
    }
    finish(&my);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_law), cmocka_unit_test(test_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
