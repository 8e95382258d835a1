/* test_recall.c - both recall protocols, against explicit couplings
 *
 * SPDX-License-Identifier: MIT
 *
 * Every state of small networks is a sample. The published protocol is also simulated with J as a
 * matrix; simulations with one likely mistake each must differ.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "helper_allocation.h"
#include "helper_hopfield.h"
#include "helper_progress.h"
#include "test.h"

enum { MAX_STATES = 1 << PLAIN_UNITS };

static const char *const digits[] = {"0", "1", "2", "3", "4", "5"};

/* ---- networks and samples ---------------------------------------------------------------------------- */

typedef struct world {
    plain_network plain, kept; /* the second always with its diagonal */
    isg_patterns *patterns;
    isg_dataset *data; /* all states; the class of a state is its number modulo p */
    size_t count;
} world;

static void world_create(world *out, size_t n, size_t p, isg_rule rule, bool keep, uint64_t seed) {
    static int8_t spins[MAX_STATES * PLAIN_UNITS];
    static int64_t labels[MAX_STATES];
    plain_create(&out->plain, n, p, rule, keep, 0, seed);
    plain_create(&out->kept, n, p, rule, true, 0, seed);
    out->count = (size_t)1 << n;
    for (size_t a = 0; a < out->count; a++) {
        labels[a] = (int64_t)(a % p);
        for (size_t i = 0; i < n; i++)
            spins[a * n + i] = (int8_t)plain_spin(a, i);
    }
    assert_ok(isg_patterns_create(&out->patterns, n, p, out->plain.xi, digits));
    assert_ok(isg_dataset_create(&out->data, out->count, n, spins, labels));
}

static void world_free(world *w) {
    isg_patterns_free(w->patterns);
    isg_dataset_free(w->data);
}

/* ---- the published protocol ---------------------------------------------------------------------------- */

typedef enum twin {
    CORRECT,
    KEEPS_DIAGONAL,
    AT_LEAST,   /* m >= threshold */
    TESTS_LATE, /* after the update instead of before */
    TAKES_SIZE, /* the largest |m| */
    N_TWINS
} twin;

typedef struct decision {
    size_t pattern, updates; /* SIZE_MAX if none */
} decision;

static bool decide(const plain_network *plain, uint64_t state, double threshold, twin how,
                   size_t *pattern) {
    double best = -2;
    for (size_t mu = 0; mu < plain->p; mu++) {
        int sum = 0;
        for (size_t i = 0; i < plain->n; i++)
            sum += plain->xi[i * plain->p + mu] * plain_spin(state, i);
        double m = (double)sum / (double)plain->n;
        m = how == TAKES_SIZE ? fabs(m) : m;
        if (m > best) {
            best = m;
            *pattern = mu;
        }
    }
    return how == AT_LEAST ? best >= threshold : best > threshold;
}

static uint64_t update(const plain_network *plain, uint64_t state) {
    uint64_t next = state;
    for (size_t i = 0; i < plain->n; i++)
        if (plain_field(plain, state, i) * plain_spin(state, i) < -1e-10)
            next ^= UINT64_C(1) << i;
    return next;
}

static decision simulate(const plain_network *plain, uint64_t state, double threshold, size_t most,
                         twin how) {
    decision out = {SIZE_MAX, SIZE_MAX};
    for (size_t t = 0; t <= most; t++) {
        if (!(how == TESTS_LATE && t == 0) && decide(plain, state, threshold, how, &out.pattern)) {
            out.updates = t;
            return out;
        }
        state = update(plain, state);
    }
    return (decision){SIZE_MAX, SIZE_MAX};
}

/* How many states the library and the simulation decide differently. */
static size_t count_differences(const world *w, const isg_recall *recall, double threshold,
                                size_t most, twin how) {
    const isg_recall_outcome *outcomes = isg_recall_outcomes(recall);
    size_t differences = 0;
    for (size_t a = 0; a < w->count; a++) {
        const plain_network *plain = how == KEEPS_DIAGONAL ? &w->kept : &w->plain;
        const decision expected = simulate(plain, a, threshold, most, how);
        const bool is_decided = outcomes[a].trajectories == 0;
        differences += is_decided != (expected.pattern != SIZE_MAX) ||
                       (is_decided && (outcomes[a].pattern != expected.pattern ||
                                       outcomes[a].updates != expected.updates));
    }
    return differences;
}

static void published_equals_a_plain_simulation(void **state) {
    (void)state;
    size_t differences[N_TWINS] = {0}, by_update = 0, left = 0;
    for (unsigned k = 0; k < 12; k++) {
        world w;
        world_create(&w, 8 + k % 5, 2 + k % 2, k & 1 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION,
                     false, 300 + k);
        isg_recall_options options = isg_recall_defaults(ISG_RECALL_PUBLISHED);
        options.rule = w.plain.options.rule;
        options.threshold = 0.5;
        options.max_updates = 1 + k % 4;
        options.trajectories = 2;
        isg_recall *recall = NULL;
        assert_ok(isg_recall_run(&recall, w.patterns, w.data, &options, NULL));
        const isg_recall_summary summary = isg_recall_describe(recall);
        by_update += summary.decided;
        left += summary.n_ensembles;
        assert_int_equal(summary.decided_at_start + summary.decided + summary.n_ensembles, w.count);
        for (twin how = CORRECT; how < N_TWINS; how++)
            differences[how] +=
                count_differences(&w, recall, options.threshold, options.max_updates, how);
        isg_recall_free(recall);
        world_free(&w);
    }
    assert_int_equal(differences[CORRECT], 0);
    for (twin how = KEEPS_DIAGONAL; how < N_TWINS; how++)
        assert_true(differences[how] > 10);
    assert_true(by_update > 100 && left > 100); /* or nothing was tested */
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

static void check_sums(const world *w, const isg_recall *recall) {
    const isg_recall_summary summary = isg_recall_describe(recall);
    const isg_matd_view tables[] = {isg_recall_confusion(recall), isg_recall_ends(recall)};
    double updates = 0, right = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t c = 0; c < summary.n_classes; c++) {
            double sum = 0;
            for (size_t column = 0; column < tables[k].cols; column++)
                sum += tables[k].data[c * tables[k].stride + column];
            assert_true(fabs(sum - (double)isg_dataset_class_size(w->data, c)) < 1e-9);
            right += k == 0 ? tables[k].data[c * tables[k].stride + c] : 0;
        }
    for (size_t t = 0; t < summary.n_updates; t++)
        updates += isg_recall_updates(recall)[t];
    const bool is_published = summary.options.protocol == ISG_RECALL_PUBLISHED;
    assert_true(fabs(updates + (is_published ? summary.undecided : 0) - (double)w->count) < 1e-9);
    assert_true(fabs(right / (double)w->count - summary.accuracy) < 1e-12);
    size_t ends = 0;
    for (size_t k = 0; k < ISG_N_ENDS; k++)
        ends += summary.ends[k];
    assert_int_equal(ends, w->count);
}

static void weights_add_up(void **state) {
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        world w;
        world_create(&w, 9, 3, ISG_RULE_PROJECTION, false, 40 + k);
        isg_recall_options options = isg_recall_defaults(ISG_RECALL_PUBLISHED);
        options.threshold = 0.8;
        options.trajectories = 7;
        options.max_updates = 3;
        isg_recall *recall = NULL;
        assert_ok(isg_recall_run(&recall, w.patterns, w.data, &options, NULL));
        check_sums(&w, recall);
        const isg_recall_summary summary = isg_recall_describe(recall);
        assert_true(summary.n_ensembles > 0 && summary.undecided > 0);
        for (size_t a = 0; a < w.count; a++) {
            const isg_recall_outcome *one = &isg_recall_outcomes(recall)[a];
            assert_true(one->share >= 0 && one->share <= 1);
            assert_true((one->end == ISG_END_UNDECIDED) == (one->pattern == SIZE_MAX));
            if (one->trajectories == 0)
                assert_true(one->share == 1);
        }
        isg_recall_free(recall);
        options = isg_recall_defaults(ISG_RECALL_ATTRACTOR);
        assert_ok(isg_recall_run(&recall, w.patterns, w.data, &options, NULL));
        check_sums(&w, recall);
        isg_recall_free(recall);
        world_free(&w);
    }
}

static void threads_do_not_matter_and_seeds_do(void **state) {
    (void)state;
    static isg_recall_outcome first[MAX_STATES];
    const size_t threads = isg_threads();
    world w;
    world_create(&w, 10, 3, ISG_RULE_PROJECTION, false, 7);
    for (unsigned k = 0; k < 4; k++) {
        isg_recall_options options = isg_recall_defaults(ISG_RECALL_PUBLISHED);
        options.threshold = 0.8;
        options.max_updates = 4;
        options.seed = k == 3 ? 2 : 1;
        isg_set_threads(k == 1 ? 2 : k == 2 ? 7 : 1);
        isg_recall *recall = NULL;
        assert_ok(isg_recall_run(&recall, w.patterns, w.data, &options, NULL));
        const isg_recall_outcome *found = isg_recall_outcomes(recall);
        size_t differences = 0;
        for (size_t a = 0; a < w.count; a++) {
            if (k == 0)
                first[a] = found[a];
            differences += first[a].end != found[a].end || first[a].pattern != found[a].pattern ||
                           first[a].share != found[a].share;
        }
        assert_true(k == 3 ? differences > 10 : differences == 0);
        isg_recall_free(recall);
    }
    isg_set_threads(threads);
    world_free(&w);
}

/* ---- attractors -------------------------------------------------------------------------------------------- */

static isg_recall_end plain_end(const plain_network *plain, uint64_t state, size_t *updates) {
    uint64_t before = UINT64_MAX;
    *updates = 0;
    for (;;) {
        const uint64_t next = update(plain, state);
        if (next == state)
            break;
        ++*updates;
        if (next == before)
            return ISG_END_TWO_CYCLE;
        before = state;
        state = next;
    }
    for (int sign = 1; sign >= -1; sign -= 2)
        for (size_t mu = 0; mu < plain->p; mu++) {
            bool is_it = true;
            for (size_t i = 0; i < plain->n; i++)
                is_it = is_it && plain->xi[i * plain->p + mu] * sign == plain_spin(state, i);
            if (is_it)
                return sign > 0 ? ISG_END_PATTERN : ISG_END_NEGATIVE;
        }
    return ISG_END_SPURIOUS;
}

static void attractors_equal_a_plain_simulation(void **state) {
    (void)state;
    size_t ends[ISG_N_ENDS] = {0};
    for (unsigned k = 0; k < 12; k++) {
        world w;
        world_create(&w, 8 + k % 4, 2 + k % 3, k & 1 ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION,
                     k & 2, 500 + k);
        isg_recall_options options = isg_recall_defaults(ISG_RECALL_ATTRACTOR);
        options.rule = w.plain.options.rule;
        options.keep_diagonal = w.plain.options.keep_diagonal;
        options.dynamics = ISG_DYNAMICS_SYNCHRONOUS;
        isg_recall *recall = NULL;
        assert_ok(isg_recall_run(&recall, w.patterns, w.data, &options, NULL));
        for (size_t a = 0; a < w.count; a++) {
            size_t updates = 0;
            const isg_recall_end expected = plain_end(&w.plain, a, &updates);
            assert_int_equal(isg_recall_outcomes(recall)[a].end, expected);
            assert_int_equal(isg_recall_outcomes(recall)[a].updates, updates);
            ends[expected]++;
        }
        isg_recall_free(recall);
        world_free(&w);
    }
    for (size_t k = 0; k < ISG_N_ENDS; k++) /* every kind occurs, but the last never moves on */
        assert_true(k == ISG_END_UNDECIDED || ends[k] > 0);
}

/* Whatever the dynamics, the end is a fixed point: without a temperature a pattern and its negative
   do not move, and with one every state ends in a fixed point as well. */
static void everything_comes_to_rest(void **state) {
    (void)state;
    world w;
    world_create(&w, 10, 3, ISG_RULE_PROJECTION, true, 12);
    for (isg_dynamics kind = ISG_DYNAMICS_ASYNCHRONOUS; kind <= ISG_DYNAMICS_GIBBS; kind++) {
        isg_recall_options options = isg_recall_defaults(ISG_RECALL_ATTRACTOR);
        options.dynamics = kind;
        options.max_updates = 50;
        isg_recall *recall = NULL;
        assert_ok(isg_recall_run(&recall, w.patterns, w.data, &options, NULL));
        const isg_recall_summary summary = isg_recall_describe(recall);
        assert_int_equal(summary.ends[ISG_END_UNDECIDED], 0);
        assert_int_equal(summary.ends[ISG_END_TWO_CYCLE], 0);
        for (size_t mu = 0; mu < 3; mu++) {
            const size_t pattern = (size_t)isg_patterns_row(w.patterns, mu)[0];
            const isg_recall_outcome *one = &isg_recall_outcomes(recall)[pattern];
            const isg_recall_outcome *other = &isg_recall_outcomes(recall)[~pattern & 1023];
            if (kind <= ISG_DYNAMICS_SYNCHRONOUS) {
                assert_int_equal(one->end, ISG_END_PATTERN);
                assert_int_equal(one->pattern, mu);
                assert_int_equal(one->updates, 0);
                assert_int_equal(other->end, ISG_END_NEGATIVE);
            } else {
                assert_true(one->updates >= 50);
            }
        }
        isg_recall_free(recall);
    }
    world_free(&w);
}

/* ---- readouts and labels ------------------------------------------------------------------------------------ */

static void readouts_are_the_largest_of_what_they_say(void **state) {
    (void)state;
    for (int rule = 0; rule < 2; rule++) {
        world w;
        world_create(&w, 11, 4, rule ? ISG_RULE_HEBBIAN : ISG_RULE_PROJECTION, true, 31);
        isg_hopfield *network = plain_build(&w.plain);
        isg_recall_options options = isg_recall_defaults(ISG_RECALL_ATTRACTOR);
        options.rule = w.plain.options.rule;
        options.max_updates = 0; /* the end is the start */
        size_t right[ISG_N_READOUTS] = {0};
        for (size_t a = 0; a < w.count; a++) {
            double values[ISG_N_READOUTS][PLAIN_PATTERNS];
            const uint64_t spins = a;
            isg_hopfield_overlaps(network, &spins, values[ISG_READOUT_OVERLAP]);
            assert_ok(isg_hopfield_projections(network, &spins, values[ISG_READOUT_PROJECTION]));
            for (size_t mu = 0; mu < 4; mu++)
                values[ISG_READOUT_ENERGY][mu] =
                    values[0][mu] * (rule ? values[0][mu] : values[1][mu]);
            for (size_t k = 0; k < ISG_N_READOUTS; k++) {
                size_t best = 0;
                for (size_t mu = 1; mu < 4; mu++)
                    best = values[k][mu] > values[k][best] + 1e-10 ? mu : best;
                right[k] += best == a % 4;
            }
        }
        for (size_t k = 0; k < ISG_N_READOUTS; k++) {
            isg_recall *recall = NULL;
            options.readout = (isg_readout)k;
            assert_ok(isg_recall_run(&recall, w.patterns, w.data, &options, NULL));
            const isg_recall_summary summary = isg_recall_describe(recall);
            assert_true(summary.accuracy == (double)right[k] / (double)w.count);
            assert_true(summary.start_accuracy[k] == summary.accuracy);
            assert_true(summary.end_accuracy[k] == summary.accuracy);
            isg_recall_free(recall);
        }
        isg_hopfield_free(network);
        world_free(&w);
    }
}

static isg_recall_summary summary_of(const char *const *pattern_labels, const int64_t *labels,
                                     size_t *columns) {
    static const int8_t xi[12] = {1, 1, -1, 1, -1, 1, 1, -1, -1, 1, 1, 1}; /* 4 units, 3 patterns */
    static const int8_t rows[12] = {1, 1, 1, 1, -1, 1, -1, -1, 1, -1, -1, 1};
    isg_patterns *patterns = NULL;
    isg_dataset *data = NULL;
    isg_recall *recall = NULL;
    assert_ok(isg_patterns_create(&patterns, 4, 3, xi, pattern_labels));
    assert_ok(isg_dataset_create(&data, 3, 4, rows, labels));
    assert_ok(isg_recall_run(&recall, patterns, data, NULL, NULL));
    const isg_recall_summary summary = isg_recall_describe(recall);
    *columns = isg_recall_confusion(recall).cols;
    assert_int_equal(isg_recall_confusion(recall).rows, summary.n_classes);
    assert_string_equal(isg_recall_label(recall, 0), pattern_labels ? pattern_labels[0] : "0");
    isg_recall_free(recall);
    isg_dataset_free(data);
    isg_patterns_free(patterns);
    return summary;
}

static void classes_are_matched_by_name(void **state) {
    (void)state;
    static const char *const names[3] = {"3", "3", "8"}, *const others[3] = {"a", "b", "c"};
    static const int64_t labels[3] = {8, 5, 3};
    size_t columns = 0;
    isg_recall_summary summary = summary_of(names, labels, &columns);
    assert_int_equal(columns, 2 + ISG_N_ENDS - 1); /* two patterns are of class 3 */
    assert_int_equal(summary.n_classes, 3);
    assert_true(summary.has_accuracy);
    assert_int_equal(summary.n_foreign, 1); /* class 5 */
    assert_true(summary.accuracy < 0.67);
    summary = summary_of(others, labels, &columns);
    assert_false(summary.has_accuracy);
    assert_true(isnan(summary.accuracy) && isnan(summary.start_accuracy[0]));
    assert_int_equal(summary.n_foreign, 3);
    summary = summary_of(names, NULL, &columns);
    assert_false(summary.has_accuracy);
    assert_int_equal(summary.n_classes, 1);
    summary = summary_of(NULL, labels, &columns); /* numbers of patterns are no labels */
    assert_false(summary.has_accuracy);
    assert_int_equal(columns, 3 + ISG_N_ENDS - 1);
    assert_int_equal(summary.n_foreign, 0);
}

/* ---- refusals ------------------------------------------------------------------------------------------------ */

static void nonsense_is_refused(void **state) {
    (void)state;
    world w, wide;
    world_create(&w, 6, 2, ISG_RULE_PROJECTION, false, 1);
    world_create(&wide, 7, 2, ISG_RULE_PROJECTION, false, 1);
    isg_recall *recall = NULL;
    const isg_recall_options fine = isg_recall_defaults(ISG_RECALL_PUBLISHED);
    assert_fails(isg_recall_run(&recall, w.patterns, wide.data, NULL, NULL), ISG_ERR_SHAPE,
                 "7 units");
#define assert_option_refused(member, value, status, part)                                         \
    do {                                                                                           \
        isg_recall_options wrong = fine;                                                           \
        wrong.member = (value);                                                                    \
        assert_fails(isg_recall_run(&recall, w.patterns, w.data, &wrong, NULL), (status), (part)); \
    } while (0)
    assert_option_refused(threshold, -0.1, ISG_ERR_ARGUMENT, "threshold");
    assert_option_refused(threshold, 1.1, ISG_ERR_ARGUMENT, "threshold");
    assert_option_refused(threshold, (double)NAN, ISG_ERR_ARGUMENT, "threshold");
    assert_option_refused(trajectories, 0, ISG_ERR_ARGUMENT, "trajectories");
    assert_option_refused(dynamics, ISG_DYNAMICS_GIBBS, ISG_ERR_ARGUMENT, "zero");
    assert_option_refused(ensemble, ISG_DYNAMICS_SYNCHRONOUS, ISG_ERR_ARGUMENT, "temperature");
    assert_option_refused(ensemble, ISG_DYNAMICS_GIBBS, ISG_ERR_UNSUPPORTED, "diagonal");
    assert_option_refused(beta, 0, ISG_ERR_ARGUMENT, "beta");
    assert_option_refused(readout, ISG_N_READOUTS, ISG_ERR_ARGUMENT, "readout");
    assert_option_refused(protocol, (isg_recall_protocol)7, ISG_ERR_ARGUMENT, "protocol");
    assert_option_refused(dynamics, (isg_dynamics)9, ISG_ERR_ARGUMENT, "dynamics");
    const isg_progress stop = {cancel_at_once, NULL};
    for (int protocol = 0; protocol < 2; protocol++) {
        const isg_recall_options options = isg_recall_defaults((isg_recall_protocol)protocol);
        assert_int_equal(isg_recall_run(&recall, w.patterns, w.data, &options, &stop),
                         ISG_ERR_CANCELLED);
    }
    assert_null(recall);
    world_free(&w);
    world_free(&wide);
}

static isg_status recall_once(void *user) {
    const world *w = user;
    isg_status status = ISG_OK;
    for (int protocol = 0; protocol < 2 && status == ISG_OK; protocol++) {
        isg_recall *recall = NULL;
        isg_recall_options options = isg_recall_defaults((isg_recall_protocol)protocol);
        options.threshold = 0.9;
        options.max_updates = 2;
        options.trajectories = 2;
        status = isg_recall_run(&recall, w->patterns, w->data, &options, NULL);
        isg_recall_free(recall);
    }
    return status;
}

static void memory_may_run_out_anywhere(void **state) {
    (void)state;
    const size_t threads = isg_threads();
    world w;
    world_create(&w, 3, 2, ISG_RULE_PROJECTION, false, 1);
    isg_set_threads(2);
    assert_true(sweep_allocations(recall_once, &w) > 60);
    isg_set_threads(threads);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_equals_a_plain_simulation),
        cmocka_unit_test(weights_add_up),
        cmocka_unit_test(threads_do_not_matter_and_seeds_do),
        cmocka_unit_test(attractors_equal_a_plain_simulation),
        cmocka_unit_test(everything_comes_to_rest),
        cmocka_unit_test(readouts_are_the_largest_of_what_they_say),
        cmocka_unit_test(classes_are_matched_by_name),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
