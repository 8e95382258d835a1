/* cmd_bench.c - isinglass bench: how fast this machine does the work, and how far from its best
 *
 * SPDX-License-Identifier: MIT
 *
 * Every job is measured as asked for, on one thread, and with twice as many units or samples. One
 * measurement takes a fraction of a second; all of them, and the machine's peak, come in turn, and
 * then all again, so that whatever else the machine does falls on all alike. Medians are shown.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/progress.h"
#include "cli/verbs/bench_jobs.h"

typedef struct bench_settings {
    const char *data;
    size_t hidden, batch, visible, samples, sweeps, repeats;
    bench_start init;
} bench_settings;

static void defaults(void *settings) {
    const isg_train_options train = isg_train_defaults();
    *(bench_settings *)settings = (bench_settings){.hidden = 50,
                                                   .batch = train.batch_size,
                                                   .visible = 784,
                                                   .samples = 2000,
                                                   .sweeps = train.gibbs_steps,
                                                   .repeats = 5,
                                                   .init = BENCH_START_NORMAL};
}

static const double random_up = 0.19; /* the share of +1 in MNIST */
static const double peak_s = 0.1;

typedef enum bench_variant {
    AS_ASKED,
    ONE_THREAD,
    TWICE_VISIBLE,
    TWICE_HIDDEN,
    TWICE_SAMPLES,
    N_VARIANTS
} bench_variant;

static const char *const variant_names[N_VARIANTS] = {"", ", one thread", ", twice N", ", twice p",
                                                      ", twice M"};

enum { MOST_JOBS = 16 };

typedef struct bench_plan {
    const bench_settings *settings;
    isg_dataset *data, *wide, *tall; /* as asked for, twice the units, twice the samples */
    isg_rbm *model, *model_wide, *model_large;
    bench_case cases[N_VARIANTS]; /* without data: left out */
    const bench_job *jobs[MOST_JOBS];
    size_t n_jobs, n_visible, n_samples, threads;
    double *rates; /* (n_jobs, N_VARIANTS, repeats); 0 if left out */
    double peak;   /* operations per second, the best of all repeats */
} bench_plan;

/* ---- what is measured ------------------------------------------------------------------------- */

static void choose_jobs(bench_plan *plan, const invocation *call) {
    for (const bench_job *job = bench_jobs; job->name; job++) {
        bool is_wanted = call->n_arguments == 0;
        for (size_t k = 0; k < call->n_arguments; k++)
            is_wanted = is_wanted || strcmp(call->arguments[k], job->name) == 0;
        if (is_wanted && plan->n_jobs < MOST_JOBS)
            plan->jobs[plan->n_jobs++] = job;
    }
}

/* The samples, twice as many as asked for if there are. */
static exit_code find_source(isg_dataset **out, const invocation *call) {
    const bench_settings *settings = call->settings;
    const size_t most = 2 * settings->samples;
    if (!settings->data)
        return bench_random_samples(out, most, settings->visible, random_up, call->common.seed);
    if (call_has_option(call, "visible"))
        return fail(EXIT_MISUSED, "--visible: cannot be used with --data, which determines it");
    data_settings data = data_defaults();
    data.how.limit = most;
    return data_load(out, call, settings->data, &data, NULL);
}

static exit_code make_data(bench_plan *plan, const invocation *call) {
    isg_dataset *source = NULL;
    exit_code code = find_source(&source, call);
    if (code == EXIT_DONE) {
        const isg_dataset_info info = isg_dataset_describe(source);
        const size_t wanted = plan->settings->samples;
        plan->n_samples = info.n_samples < wanted ? info.n_samples : wanted;
        plan->n_visible = info.n_visible;
        code = bench_samples(&plan->data, source, plan->n_samples, 1);
        if (code == EXIT_DONE)
            code = bench_samples(&plan->wide, source, plan->n_samples, 2);
        if (code == EXIT_DONE && info.n_samples / 2 >= plan->n_samples)
            code = bench_samples(&plan->tall, source, 2 * plan->n_samples, 1);
    }
    isg_dataset_free(source);
    return code;
}

static exit_code make_models(bench_plan *plan, uint64_t seed) {
    const bench_start start = plan->settings->init;
    const size_t p = plan->settings->hidden;
    exit_code code = bench_model(&plan->model, start, plan->data, p, seed);
    if (code == EXIT_DONE)
        code = bench_model(&plan->model_wide, start, plan->wide, p, seed);
    if (code == EXIT_DONE)
        code = bench_model(&plan->model_large, start, plan->data, 2 * p, seed);
    /* Not every p that can be mapped can be doubled. */
    return code == EXIT_MISUSED && plan->model_wide ? EXIT_DONE : code;
}

static exit_code make_plan(bench_plan *plan, const invocation *call) {
    const bench_settings *settings = call->settings;
    *plan = (bench_plan){.settings = settings, .threads = isg_threads()};
    choose_jobs(plan, call);
    exit_code code = make_data(plan, call);
    if (code == EXIT_DONE)
        code = make_models(plan, call->common.seed);
    if (code != EXIT_DONE)
        return code;
    const size_t batch = settings->batch < plan->n_samples ? settings->batch : plan->n_samples;
    const bench_case base = {plan->data, plan->model, batch, settings->sweeps, call->common.seed};
    for (size_t v = 0; v < N_VARIANTS; v++)
        plan->cases[v] = base;
    plan->cases[TWICE_VISIBLE].data = plan->wide;
    plan->cases[TWICE_VISIBLE].start = plan->model_wide;
    plan->cases[TWICE_HIDDEN].start = plan->model_large;
    plan->cases[TWICE_SAMPLES].data = plan->tall;
    plan->rates = memory_allocate(plan->n_jobs * N_VARIANTS * settings->repeats, sizeof(double));
    return plan->rates ? EXIT_DONE : fail_memory();
}

static void free_plan(bench_plan *plan) {
    isg_dataset_free(plan->data);
    isg_dataset_free(plan->wide);
    isg_dataset_free(plan->tall);
    isg_rbm_free(plan->model);
    isg_rbm_free(plan->model_wide);
    isg_rbm_free(plan->model_large);
    memory_release(plan->rates);
}

static bool is_measured(const bench_plan *plan, const bench_job *job, size_t v) {
    if (v == ONE_THREAD && (job->is_serial || plan->threads == 1))
        return false;
    if (v == TWICE_HIDDEN && !job->has_hidden)
        return false;
    return plan->cases[v].data && plan->cases[v].start;
}

/* ---- measuring -------------------------------------------------------------------------------- */

static double *rates_of(const bench_plan *plan, size_t j, size_t v) {
    return plan->rates + (j * N_VARIANTS + v) * plan->settings->repeats;
}

static exit_code measure_once(bench_plan *plan, size_t repeat, progress *bar) {
    double peak = 0;
    exit_code code = fail_status(isg_peak(peak_s, &peak));
    if (code == EXIT_DONE)
        plan->peak = fmax(plan->peak, peak);
    const double turns = (double)(plan->n_jobs * N_VARIANTS);
    for (size_t turn = 0; code == EXIT_DONE && turn < plan->n_jobs * N_VARIANTS; turn++) {
        const size_t j = turn / N_VARIANTS, v = turn % N_VARIANTS;
        const double done = (double)repeat + (double)turn / turns;
        char text[64];
        snprintf(text, sizeof text, "%s%s", plan->jobs[j]->name, variant_names[v]);
        if (!progress_update(bar, done / (double)plan->settings->repeats, text))
            return fail_status(ISG_ERR_CANCELLED);
        if (!is_measured(plan, plan->jobs[j], v))
            continue;
        isg_set_threads(v == ONE_THREAD ? 1 : plan->threads);
        code = plan->jobs[j]->measure(rates_of(plan, j, v) + repeat, &plan->cases[v]);
        isg_set_threads(plan->threads);
    }
    return code;
}

static exit_code measure_all(bench_plan *plan, bool is_quiet) {
    progress bar;
    exit_code code = EXIT_DONE;
    progress_start(&bar, is_quiet, "measuring");
    for (size_t r = 0; code == EXIT_DONE && r < plan->settings->repeats; r++)
        code = measure_once(plan, r, &bar);
    if (code == EXIT_DONE && !progress_update(&bar, 1, NULL))
        code = fail_status(ISG_ERR_CANCELLED);
    progress_finish(&bar);
    return code;
}

/* ---- results ---------------------------------------------------------------------------------- */

/* By how much the time of one unit of work grows. */
typedef struct growth {
    double n_visible, n_hidden, samples;
} growth;

/* The result of one job; NaN if it was not measured or is unknown. */
typedef struct bench_row {
    const char *job, *unit;
    double rate, lowest, highest;
    double gflops, fraction_of_peak;
    double one_thread_rate, speedup;
    growth cost_of_twice;
} bench_row;

typedef struct bench_result {
    bench_row rows[MOST_JOBS];
    result_list results;
    double peak_gflops;
    size_t threads, n_visible, n_hidden, samples, batch, cd, repeats;
    const char *isa, *data, *init;
} bench_result;

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, NaN if it is no number; the rates come out sorted. */
static double median(double *rates, size_t count) {
    qsort(rates, count, sizeof *rates, ascending);
    const double middle = (rates[(count - 1) / 2] + rates[count / 2]) / 2;
    return middle > 0 && isfinite(middle) ? middle : (double)NAN;
}

static bench_row row_of(const bench_plan *plan, size_t j) {
    const size_t count = plan->settings->repeats;
    const bench_job *job = plan->jobs[j];
    const double *rates = rates_of(plan, j, AS_ASKED);
    double medians[N_VARIANTS];
    for (size_t v = 0; v < N_VARIANTS; v++)
        medians[v] = median(rates_of(plan, j, v), count);
    const double rate = medians[AS_ASKED];
    const double operations =
        job->operations ? job->operations(&plan->cases[AS_ASKED]) : (double)NAN;
    const double gflops = 1e-9 * rate * operations;
    return (bench_row){.job = job->name,
                       .unit = job->unit,
                       .rate = rate,
                       .lowest = rates[0],
                       .highest = rates[count - 1],
                       .gflops = gflops,
                       .fraction_of_peak = 1e9 * gflops / plan->peak,
                       .one_thread_rate = medians[ONE_THREAD],
                       .speedup = rate / medians[ONE_THREAD],
                       .cost_of_twice = {rate / medians[TWICE_VISIBLE],
                                         rate / medians[TWICE_HIDDEN],
                                         rate / medians[TWICE_SAMPLES]}};
}

static void show(const invocation *call, const bench_plan *plan) {
    const bench_settings *settings = plan->settings;
    bench_result my = {.peak_gflops = 1e-9 * plan->peak,
                       .threads = plan->threads,
                       .isa = isg_isa(),
                       .data = settings->data,
                       .n_visible = plan->n_visible,
                       .n_hidden = settings->hidden,
                       .samples = plan->n_samples,
                       .batch = plan->cases[AS_ASKED].batch,
                       .cd = settings->sweeps,
                       .init = bench_start_names[settings->init],
                       .repeats = settings->repeats};
    for (size_t j = 0; j < plan->n_jobs; j++)
        my.rows[j] = row_of(plan, j);
    my.results = (result_list){my.rows, plan->n_jobs, sizeof my.rows[0]};
    result_show(call, &my);
}

static exit_code run(const invocation *call) {
    bench_plan plan;
    exit_code code = make_plan(&plan, call);
    if (code == EXIT_DONE)
        code = measure_all(&plan, call->common.quiet);
    if (code == EXIT_DONE)
        show(call, &plan);
    free_plan(&plan);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "JOB", .choices = bench_job_names, .is_optional = true, .is_repeated = true,
     .help = "What to measure: cd (training), gibbs (sweeps of M chains), gradient (an update "
             "without its sweeps), ais (annealing), ward (clustering M samples); default: all of "
             "them"},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "hidden", .kind = OPTION_SIZE, .metavar = "P",
     .low = 1, .high = 1e6, .offset = offsetof(bench_settings, hidden),
     .help = "Number of hidden units"},
    {.name = "batch", .kind = OPTION_SIZE, .metavar = "B",
     .low = 1, .high = 1e6, .offset = offsetof(bench_settings, batch),
     .help = "Samples per update"},
    {.name = "visible", .kind = OPTION_SIZE, .metavar = "N",
     .low = 1, .high = 1e6, .offset = offsetof(bench_settings, visible),
     .help = "Number of visible units; with --data, that of DATA"},
    {.name = "samples", .kind = OPTION_SIZE, .metavar = "M",
     .low = 1, .high = 1e7, .offset = offsetof(bench_settings, samples),
     .help = "Number of samples (the first M of --data) and of Gibbs chains"},
    {.name = "sweeps", .alias = "cd", .kind = OPTION_SIZE, .metavar = "K",
     .low = 1, .high = 1e6, .offset = offsetof(bench_settings, sweeps),
     .help = "Sweeps per update"},
    {.name = "data", .kind = OPTION_FILE, .metavar = "DATA", .choices = data_names, .otherwise = "random spins",
     .offset = offsetof(bench_settings, data),
     .help = "Use the samples of DATA, read as by other verbs"},
    {.name = "init", .kind = OPTION_CHOICE, .metavar = "START", .choices = bench_start_names,
     .offset = offsetof(bench_settings, init),
     .help = "Weights to start from: normal (random, standard deviation 0.1), or hopfield (the "
             "projection rule of the first P samples)"},
    {.name = "repeats", .kind = OPTION_SIZE, .metavar = "R",
     .low = 1, .high = 1e4, .offset = offsetof(bench_settings, repeats),
     .help = "How many times to measure everything"},
    {.name = NULL},
};

#define ROW(field, what) RESULT(bench_row, field, what)
#define IS(field, what)  RESULT(bench_result, field, what)

static const result_entry growth_results[] = {
    RESULT(growth, n_visible, "factor by which the time per unit of work grows if N doubles"),
    RESULT(growth, n_hidden, "the same for p"),
    RESULT(growth, samples, "the same for M; null if DATA has too few samples"),
    {.key = NULL}};

static const result_entry row_results[] = {
    ROW(job, "name of the job"),
    ROW(rate, "median of all repeats; null if the work took too little time to measure"),
    ROW(unit, "unit of the rates: samples/s, chain-sweeps/s or chain-steps/s"),
    ROW(lowest, "of all repeats"),
    ROW(highest, "of all repeats"),
    ROW(gflops, "1e9 operations per second, counting every product in full; null for ward"),
    ROW(fraction_of_peak, "gflops divided by peak_gflops"),
    ROW(one_thread_rate, "rate on one thread; null if only one is in use"),
    ROW(speedup, "rate divided by one_thread_rate"),
    RESULT_STRUCT(bench_row, cost_of_twice, growth_results, NULL),
    {.key = NULL}};

static const result_entry results[] = {
    RESULT_LIST_OF(bench_result, results, row_results, NULL),
    IS(peak_gflops, "1e9 operations per second of independent multiply-adds on all threads"),
    IS(threads, "number of threads"),
    IS(isa, "instruction set in use"),
    IS(data, "DATA, or null for random spins"),
    IS(n_visible, "N"),
    IS(n_hidden, "p"),
    IS(samples, "M"),
    IS(batch, "samples per update"),
    IS(cd, "sweeps per update"),
    IS(init, "the start"),
    IS(repeats, "how many times everything was measured"),
    {.label = "machine",
     .text = "{threads thread}, {isa}: {peak_gflops:.1f} GFLOP/s of independent multiply-adds"},
    {.label = "model", .text = "N = {n_visible} visible, p = {n_hidden} hidden units, {init} start"},
    {.when = "data", .label = "data", .text = "M = {samples sample} of {data}"},
    {.when = "!data", .label = "data", .text = "M = {samples sample} of random spins, 19 % of them +1"},
    {.label = "training", .text = "CD-{cd}, batches of B = {batch}"},
    {.label = "measured", .text = "{repeats time} in turn; rates are medians"},
    {.each = "results",
     .heading = "\njob               rate                     lowest     highest  GFLOP/s  of peak",
     .text = "{job:-10} {rate:11.0f?} {unit:-14} {lowest:11.0f?} {highest:11.0f?} {gflops:8.1f?} "
             "{fraction_of_peak:%8.0f %?}"},
    {.each = "results",
     .heading = "\njob         one thread  speedup           twice N     twice p  twice M",
     .text = "{job:-10} {one_thread_rate:11.0f?} {speedup:8.2fx?} {cost_of_twice.n_visible:17.2fx?} "
             "{cost_of_twice.n_hidden:11.2fx?} {cost_of_twice.samples:8.2fx?}"},
    {.text = "twice N, p, M: factor by which the time per sample or chain-sweep grows"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass bench", "Run all jobs at the size of MNIST, in half a minute."},
    {"isinglass bench cd --hidden 500 --data mnist:train", "Training with 500 hidden units."},
    {"isinglass bench cd gibbs --isa baseline --threads 1",
     "Use another instruction set, and one thread."},
    {"isinglass bench --json | jq '.results[] | {job, fraction_of_peak}'",
     "Use the result in a script."},
    {NULL, NULL},
};
/* clang-format on */

const command command_bench = {
    .name = "bench",
    .section = "This machine",
    .summary = "Measure speed, how it scales, and its share of the peak",
    .description =
        "Measures how fast training and its parts run on this machine, and compares the rates "
        "with the peak, that of independent multiply-adds on all threads. Then it measures the "
        "same on one thread, and with twice as many visible units N, hidden units p and "
        "samples M; the factors shown are those of the time per sample or chain.\n"
        "All measurements are made in turn, --repeats times; the medians are shown. Each "
        "starts from the same weights and spins, since a sweep takes longer the more spins it "
        "flips.\n"
        "Operations are counted as if every product were computed in full: 4 N p for a sweep "
        "of one chain, and as many for the sums of an update, so 4 N p (K + 1) for a sample of "
        "CD-K. Sweeps only add what has flipped, so the share of the peak can exceed 100 %.\n"
        "The job gradient is the difference of two timings: an update with one sweep, and one "
        "sweep of as many chains from the same spins.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(bench_settings),
    .defaults = defaults,
    .run = run,
};
