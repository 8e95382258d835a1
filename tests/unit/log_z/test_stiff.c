/* test_stiff.c - spins drawn given all others, against the probabilities of all states
 *
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include <math.h>
#include <string.h>

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

/* Spins with a hidden unit of their own do not see each other: wherever they are, one draw makes them those of the
   model. */
static void test_free_spins(void **state) {
    (void)state;
    enum { FREE = 3 };
    const double field[FREE] = {0.3, -0.1, 0};
    isg_rbm *rbm = NULL;
    isg_spin_model model;
    isg_anneal anneal;
    isg_stiff stiff;
    isg_anneal_group g = {0};
    size_t counts[1 << FREE] = {0};
    double expected[1 << FREE], h[FREE];
    assert_ok(isg_rbm_create(&rbm, FREE, FREE, 1));
    for (size_t i = 0; i < FREE; i++) {
        rbm->weights[i * FREE + i] = 2;
        rbm->b[i] = field[i];
    }
    assert_ok(isg_spin_model_start(&model, rbm));
    assert_ok(isg_anneal_create(&anneal, rbm, 1, ISG_PURPOSE_WELLS));
    assert_ok(isg_stiff_find(&stiff, &model));
    assert_int_equal(stiff.count, FREE);
    assert_ok(isg_anneal_group_create(&g, &anneal.w));
    for (size_t n = 0; n < GROUPS; n++) {
        isg_anneal_group_take(&g, n, CHAINS);
        memset(g.spins, 0, g.count * sizeof *g.spins);
        anneal.kernels->hidden_input(&anneal.w, g.count, g.spins, g.input);
        for (size_t k = 0; k < g.count; k++) {
            isg_stiff_draw(&stiff, &anneal, &g, k, 0, h, NULL, NULL);
            counts[g.spins[k]]++;
        }
    }
    for (size_t s = 0; s < 1 << FREE; s++) {
        expected[s] = CHAINS;
        for (size_t i = 0; i < FREE; i++)
            expected[s] /= 1 + isg_exp((s >> i & 1 ? -2 : 2) * field[i]);
    }
    const double score = chi_square_score(counts, expected, 1 << FREE);
    print_message("free spins: %.2f\n", score);
    assert_true(score < 5);
    isg_anneal_group_release(&g);
    isg_stiff_release(&stiff);
    isg_anneal_release(&anneal);
    isg_release(model.field);
    isg_rbm_free(rbm);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law), cmocka_unit_test(test_free_spins), cmocka_unit_test(test_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
