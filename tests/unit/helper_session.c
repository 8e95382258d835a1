/* helper_session.c - a trainer with the RBM that it trains, to be compared with others
 *
 * SPDX-License-Identifier: MIT
 */
#include "helper_session.h"

#include "test.h"

session session_start(isg_rbm *rbm, const isg_dataset *data, const isg_train_options *options) {
    session s = {rbm, NULL};
    assert_ok(isg_trainer_create(&s.trainer, s.rbm, data, options));
    return s;
}

void session_stop(session s) {
    isg_trainer_free(s.trainer);
    isg_rbm_free(s.rbm);
}

void session_advance(session s, size_t updates) {
    for (size_t k = 0; k < updates; k++)
        assert_ok(isg_trainer_update(s.trainer));
}

void session_assert_same(session a, session b) {
    const isg_train_state at = isg_trainer_describe(a.trainer),
                          to = isg_trainer_describe(b.trainer);
    const size_t n = a.rbm->info.n_visible, p = a.rbm->info.n_hidden;
    assert_memory_equal(&at, &to, sizeof at);
    assert_true(a.rbm->info.beta == b.rbm->info.beta);
    assert_memory_equal(a.rbm->weights, b.rbm->weights, n * p * sizeof(double));
    assert_memory_equal(a.rbm->b, b.rbm->b, n * sizeof(double));
    assert_memory_equal(a.rbm->c, b.rbm->c, p * sizeof(double));
    assert_int_equal(a.trainer->wrong_spins, b.trainer->wrong_spins);
    if (a.trainer->option.persistent)
        assert_memory_equal(a.trainer->chains.spins, b.trainer->chains.spins,
                            a.trainer->chains.count * a.trainer->weights.words * sizeof(uint64_t));
}
