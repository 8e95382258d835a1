/* bench_jobs.c - what `isinglass bench` can measure
 *
 * SPDX-License-Identifier: MIT
 *
 * A job works in slices of a fraction of a second and starts each from the same weights and the
 * same spins: how long a sweep takes depends on how many spins it flips, and so on where it starts.
 *
 * Operations are counted as if every product were done in full. With N visible and p hidden units,
 * W^T s and W lambda take 2 N p each, so a sweep takes 4 N p; and so do the two sums s lambda^T of
 * an update, over the data and over the chains. (Its W^T s of the data is left out.)
 */
#include "cli/verbs/bench_jobs.h"

#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/signals.h"
#include "src/base/clock.h"
#include "src/base/elementary.h"

static const double slice_s = 0.2;
static const double beta = 2;
static const double deviation = 0.1;

/* ---- data and models -------------------------------------------------------------------------- */

exit_code bench_samples(isg_dataset **out, const isg_dataset *source, size_t count, size_t copies) {
    const isg_dataset_info info = isg_dataset_describe(source);
    const size_t width = info.n_visible;
    if (width > SIZE_MAX / copies || count > SIZE_MAX / (copies * width))
        return fail_memory();
    int8_t *spins = memory_allocate(count, copies * width);
    if (!spins)
        return fail_memory();
    for (size_t a = 0; a < count; a++)
        for (size_t part = 0; part < copies; part++) {
            const uint64_t *row = isg_dataset_row(source, (a + part) % info.n_samples);
            for (size_t i = 0; i < width; i++)
                spins[(a * copies + part) * width + i] = (int8_t)isg_spin(row, i);
        }
    const isg_status status = isg_dataset_create(out, count, copies * width, spins, NULL);
    memory_release(spins);
    return fail_status(status);
}

/* Free spins in a field, drawn by the library itself: one sweep of an RBM without weights. */
exit_code bench_random_samples(isg_dataset **out, size_t n_samples, size_t n_visible, double up,
                               uint64_t seed) {
    isg_rbm *rbm = NULL;
    isg_chains *chains = NULL;
    int8_t *spins = NULL;
    exit_code code = fail_status(isg_rbm_create(&rbm, n_visible, 1, beta));
    for (size_t i = 0; code == EXIT_DONE && i < n_visible; i++)
        isg_rbm_visible_field(rbm)[i] = isg_log(up / (1 - up)) / (2 * beta);
    if (code == EXIT_DONE)
        code = fail_status(isg_chains_create(&chains, rbm, n_samples, seed));
    if (code == EXIT_DONE)
        code = fail_status(isg_chains_sweep(chains, 1, beta));
    if (code == EXIT_DONE && !(spins = memory_allocate(n_samples, n_visible)))
        code = fail_memory();
    for (size_t k = 0; code == EXIT_DONE && k < n_samples; k++)
        for (size_t i = 0; i < n_visible; i++)
            spins[k * n_visible + i] = (int8_t)isg_spin(isg_chains_spins(chains, k), i);
    if (code == EXIT_DONE)
        code = fail_status(isg_dataset_create(out, n_samples, n_visible, spins, NULL));
    memory_release(spins);
    isg_chains_free(chains);
    isg_rbm_free(rbm);
    return code;
}

/* The first n_hidden samples as patterns. */
static exit_code first_samples(isg_patterns **out, const isg_dataset *data, size_t n_hidden) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const size_t most = info.n_samples < info.n_visible ? info.n_samples : info.n_visible;
    if (n_hidden > most)
        return fail(EXIT_MISUSED,
                    "--hidden: expected at most %zu for --init hopfield on %zu samples of %zu "
                    "units, found %zu",
                    most, info.n_samples, info.n_visible, n_hidden);
    int8_t *xi = memory_allocate(info.n_visible, n_hidden);
    if (!xi)
        return fail_memory();
    for (size_t mu = 0; mu < n_hidden; mu++)
        for (size_t i = 0; i < info.n_visible; i++)
            xi[i * n_hidden + mu] = (int8_t)isg_spin(isg_dataset_row(data, mu), i);
    const exit_code code =
        fail_status(isg_patterns_create(out, info.n_visible, n_hidden, xi, NULL));
    memory_release(xi);
    return code;
}

const char *const bench_start_names[] = {"normal", "hopfield", NULL};

exit_code bench_model(isg_rbm **out, bench_start start, const isg_dataset *data, size_t n_hidden,
                      uint64_t seed) {
    const isg_start_options options = {.kind = start == BENCH_START_HOPFIELD ? ISG_START_HOPFIELD
                                                                             : ISG_START_NORMAL,
                                       .n_hidden = n_hidden,
                                       .beta = beta,
                                       .deviation = deviation,
                                       .seed = seed};
    isg_patterns *patterns = NULL;
    exit_code code =
        start == BENCH_START_HOPFIELD ? first_samples(&patterns, data, n_hidden) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_start(out, &options, patterns, data, NULL));
    isg_patterns_free(patterns);
    return code;
}

static exit_code copy_weights(isg_rbm **out, isg_rbm *rbm) {
    const isg_rbm_info info = isg_rbm_describe(rbm);
    const exit_code code =
        fail_status(isg_rbm_create(out, info.n_visible, info.n_hidden, info.beta));
    if (code != EXIT_DONE)
        return code;
    const isg_matd from = isg_rbm_weights(rbm), to = isg_rbm_weights(*out);
    for (size_t i = 0; i < from.rows; i++)
        memcpy(to.data + i * to.stride, from.data + i * from.stride, from.cols * sizeof *to.data);
    return EXIT_DONE;
}

/* ---- slices ----------------------------------------------------------------------------------- */

/* Work done, and the seconds it took without the setup. */
typedef struct slice {
    double work, seconds;
    double began_s, length_s;
} slice;

static slice slice_of(double length_s) {
    return (slice){.began_s = isg_clock_s(), .length_s = length_s};
}

/* A slice whose setup takes longer than its work ends early. */
static bool is_full(const slice *s) {
    return s->seconds >= s->length_s ||
           (s->work > 0 && isg_clock_s() - s->began_s > 3 * s->length_s) || signals_caught() != 0;
}

static double mean_s(const slice *s) {
    return s->seconds / s->work;
}

static double rate_of(double seconds) {
    return seconds > 0 ? 1 / seconds : HUGE_VAL;
}

/* Stops an epoch that takes longer than its slice. */
typedef struct epoch_watch {
    slice *slice;
    double started_s, before_s;
} epoch_watch;

static bool go_on_until_full(void *user, double fraction) {
    (void)fraction;
    epoch_watch *watch = user;
    watch->slice->seconds = watch->before_s + isg_clock_s() - watch->started_s;
    return !is_full(watch->slice);
}

/* The first epoch of a training, after two updates that bring everything into the caches. */
static exit_code add_epoch(slice *s, const bench_case *work, size_t sweeps) {
    const size_t n_samples = isg_dataset_describe(work->data).n_samples;
    isg_train_options options = isg_train_defaults();
    options.batch_size = work->batch;
    options.gibbs_steps = sweeps;
    options.seed = work->seed;
    isg_rbm *rbm = NULL;
    isg_trainer *trainer = NULL;
    exit_code code = copy_weights(&rbm, work->start);
    if (code == EXIT_DONE)
        code = fail_status(isg_trainer_create(&trainer, rbm, work->data, &options));
    for (int k = 0; code == EXIT_DONE && k < 2; k++)
        code = fail_status(isg_trainer_update(trainer));
    if (code == EXIT_DONE) {
        const uint64_t before = isg_trainer_describe(trainer).updates;
        epoch_watch watch = {.slice = s, .started_s = isg_clock_s(), .before_s = s->seconds};
        const isg_progress progress = {go_on_until_full, &watch};
        const isg_status status = isg_trainer_epoch(trainer, NULL, &progress);
        s->seconds = watch.before_s + isg_clock_s() - watch.started_s;
        code = status == ISG_ERR_CANCELLED ? EXIT_DONE : fail_status(status);
        const isg_train_state state = isg_trainer_describe(trainer);
        const double done = (double)(state.updates - before) * (double)work->batch;
        /* The last update of an epoch may have fewer samples. */
        s->work +=
            state.batch == 0 ? done - (double)(state.n_batches * work->batch - n_samples) : done;
    }
    isg_trainer_free(trainer);
    isg_rbm_free(rbm);
    return code;
}

/* Samples through updates of so many sweeps. */
static exit_code time_updates(slice *s, const bench_case *work, size_t sweeps) {
    exit_code code = EXIT_DONE;
    while (code == EXIT_DONE && !is_full(s))
        code = add_epoch(s, work, sweeps);
    return code;
}

/* Samples through so many sweeps, `count` of them at a time, all from the data. */
static exit_code time_sweeps(slice *s, const bench_case *work, size_t count, size_t sweeps) {
    const size_t n_samples = isg_dataset_describe(work->data).n_samples;
    isg_chains *chains = NULL;
    exit_code code = fail_status(isg_chains_create(&chains, work->start, count, work->seed));
    for (size_t first = 0; code == EXIT_DONE && !is_full(s); first = (first + count) % n_samples) {
        for (size_t k = 0; k < count; k++)
            isg_chains_set_spins(chains, k, isg_dataset_row(work->data, (first + k) % n_samples));
        const double start = isg_clock_s();
        code = fail_status(isg_chains_sweep(chains, sweeps, beta));
        s->seconds += isg_clock_s() - start;
        s->work += (double)count;
    }
    isg_chains_free(chains);
    return code;
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static double product(const bench_case *work) {
    const isg_rbm_info info = isg_rbm_describe(work->start);
    return 4 * (double)info.n_visible * (double)info.n_hidden;
}

static double cd_operations(const bench_case *work) {
    return product(work) * ((double)work->sweeps + 1);
}

static exit_code measure_cd(double *rate, const bench_case *work) {
    slice s = slice_of(slice_s);
    const exit_code code = time_updates(&s, work, work->sweeps);
    *rate = rate_of(mean_s(&s));
    return code;
}

static exit_code measure_gibbs(double *rate, const bench_case *work) {
    slice s = slice_of(slice_s);
    const size_t count = isg_dataset_describe(work->data).n_samples;
    const exit_code code = time_sweeps(&s, work, count, work->sweeps);
    *rate = rate_of(mean_s(&s) / (double)work->sweeps);
    return code;
}

/* The time of an update with one sweep, minus one sweep of as many chains from the same spins. */
static exit_code measure_gradient(double *rate, const bench_case *work) {
    slice whole = slice_of(slice_s / 2);
    exit_code code = time_updates(&whole, work, 1);
    slice sweeps = slice_of(slice_s / 2);
    if (code == EXIT_DONE)
        code = time_sweeps(&sweeps, work, work->batch, 1);
    *rate = rate_of(mean_s(&whole) - mean_s(&sweeps));
    return code;
}

/* Annealing of B chains. */
static exit_code measure_ais(double *rate, const bench_case *work) {
    isg_log_z_options options = isg_log_z_defaults();
    options.method = ISG_LOG_Z_AIS;
    options.ais.chains = work->batch;
    options.ais.seed = work->seed;
    slice s = slice_of(slice_s);
    exit_code code = EXIT_DONE;
    while (code == EXIT_DONE && !is_full(&s)) {
        isg_log_z found;
        const double start = isg_clock_s();
        code = fail_status(isg_rbm_log_z(work->start, &options, &found, NULL));
        s.seconds += isg_clock_s() - start;
        s.work += (double)(options.ais.chains * options.ais.steps);
    }
    *rate = rate_of(mean_s(&s));
    return code;
}

static bool go_on(void *user, double fraction) {
    (void)user;
    (void)fraction;
    return signals_caught() == 0;
}

static exit_code measure_ward(double *rate, const bench_case *work) {
    const size_t n_samples = isg_dataset_describe(work->data).n_samples;
    const isg_progress progress = {.report = go_on};
    isg_pattern_options options = isg_pattern_defaults();
    options.per_class = n_samples < 10 ? n_samples : 10;
    slice s = slice_of(slice_s);
    exit_code code = EXIT_DONE;
    while (code == EXIT_DONE && !is_full(&s)) {
        isg_patterns *patterns = NULL;
        const double start = isg_clock_s();
        code = fail_status(isg_patterns_from_data(&patterns, work->data, &options, &progress));
        s.seconds += isg_clock_s() - start;
        s.work += (double)n_samples;
        isg_patterns_free(patterns);
    }
    *rate = rate_of(mean_s(&s));
    return code;
}

/* clang-format off */
const bench_job bench_jobs[] = {
    {.name = "cd", .unit = "samples/s", .has_hidden = true,
     .operations = cd_operations, .measure = measure_cd,
     .what = "training by contrastive divergence, K sweeps to an update of B samples"},
    {.name = "gibbs", .unit = "chain-sweeps/s", .has_hidden = true,
     .operations = product, .measure = measure_gibbs,
     .what = "block-Gibbs sweeps of M chains, K at a time, from the data"},
    {.name = "gradient", .unit = "samples/s", .has_hidden = true,
     .operations = product, .measure = measure_gradient,
     .what = "the rest of an update: the time of one with K = 1 less that of one sweep of B chains"},
    {.name = "ais", .unit = "chain-steps/s", .has_hidden = true,
     .operations = product, .measure = measure_ais,
     .what = "annealed importance sampling of ln Z by B chains in 1000 steps"},
    {.name = "ward", .unit = "samples/s", .is_serial = true,
     .measure = measure_ward,
     .what = "clustering M samples of one class, on one thread"},
    {.name = NULL},
};
/* clang-format on */

const char *const bench_job_names[] = {"cd", "gibbs", "gradient", "ais", "ward", NULL};
