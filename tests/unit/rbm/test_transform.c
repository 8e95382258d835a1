/* test_transform.c - the hidden units and energies of data, against one sample at a time
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "helper_allocation.h"
#include "test.h"

enum { N = 70, P = 3, M = 20 };

typedef struct problem {
    isg_rbm *rbm;
    isg_dataset *data;
    double h[M * P], energies[M];
} problem;

static void create(problem *my) {
    int8_t spins[M * N];
    isg_cursor random = isg_cursor_at(isg_stream_at(4, ISG_PURPOSE_TEST, 0, 0));
    for (size_t k = 0; k < M * N; k++)
        spins[k] = isg_next_uniform(&random) < 0.3 ? 1 : -1;
    assert_ok(isg_dataset_create(&my->data, M, N, spins, NULL));
    assert_ok(isg_rbm_create(&my->rbm, N, P, 2));
    for (size_t k = 0; k < N * P; k++)
        isg_rbm_weights(my->rbm).data[k] = isg_next_uniform(&random) - 0.5;
    for (size_t i = 0; i < N; i++)
        isg_rbm_visible_field(my->rbm)[i] = isg_next_uniform(&random) - 0.5;
    for (size_t mu = 0; mu < P; mu++)
        isg_rbm_hidden_field(my->rbm)[mu] = isg_next_uniform(&random) - 0.5;
}

static void release(problem *my) {
    isg_rbm_free(my->rbm);
    isg_dataset_free(my->data);
}

static isg_status transform(void *user) {
    problem *my = user;
    return isg_rbm_transform(my->rbm, my->data, (isg_matd){my->h, M, P, P}, my->energies, NULL);
}

static void agrees_with_one_at_a_time(void **state) {
    (void)state;
    problem my;
    create(&my);
    assert_ok(transform(&my));
    for (size_t a = 0; a < M; a++) {
        double h[P], energy = (double)NAN;
        isg_rbm_hidden_input(my.rbm, isg_dataset_row(my.data, a), h);
        assert_ok(isg_rbm_spin_energy(my.rbm, isg_dataset_row(my.data, a), &energy));
        for (size_t mu = 0; mu < P; mu++)
            assert_true(fabs(h[mu] - my.h[a * P + mu]) < 1e-12);
        assert_true(fabs(energy - my.energies[a]) < 1e-11);
    }
    release(&my);
}

static void refuses_nonsense(void **state) {
    (void)state;
    problem my;
    create(&my);
    isg_rbm *other = NULL;
    assert_ok(isg_rbm_create(&other, N + 1, P, 1));
    const isg_matd room = {my.h, M, P, P}, narrow = {my.h, M, P - 1, P};
    assert_fails(isg_rbm_transform(other, my.data, room, NULL, NULL), ISG_ERR_SHAPE, "70 units");
    assert_fails(isg_rbm_transform(my.rbm, my.data, narrow, NULL, NULL), ISG_ERR_SHAPE, "20 x 3");
    assert_true(sweep_allocations(transform, &my) > 0);
    isg_rbm_free(other);
    release(&my);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_one_at_a_time),
        cmocka_unit_test(refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
