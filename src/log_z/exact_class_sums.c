/* exact_class_sums.c - ln Z where many visible units are alike
 *
 * SPDX-License-Identifier: MIT
 *
 * Units with the same row of W and the same field form a class; a unit whose row and field have
 * the opposite sign joins it after its spin is renamed to -s. The energy depends on a class of
 * size n only through its number u of up spins, which n over u states share:
 *
 *     Z = sum over (u_1 ... u_K) of prod_k binomial(n_k, u_k) exp(-beta H(u)),
 *     W^T s = sum_k (2 u_k - n_k) w_k,   f.s = sum_k (2 u_k - n_k) f_k
 *
 * A unit whose row is zero has no interactions: it contributes the factor 2 cosh(beta f). With p
 * binary patterns there are at most 2^(p-1) classes, whatever N is.
 */
#include <float.h>
#include <math.h>

#include "base/bits.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/special.h"
#include "log_z/exact.h"

/* With more classes than this, the terms exceed the limit. */
enum { MAX_CLASSES = 30 };

typedef struct unit_class {
    size_t size;
    size_t first; /* its first unit */
    double *row;  /* w (p), the mean over its units, so that rounding does not depend on the
                     first */
    double field;
    double *log_binomials; /* (size + 1) */
} unit_class;

typedef struct class_sum {
    isg_spin_model model;
    unit_class classes[MAX_CLASSES];
    size_t n_classes;
    size_t n_terms;
    double log_free; /* ln of the factors of units with a zero row */
    double row_tolerance, field_tolerance;
} class_sum;

/* Rows that differ by rounding alone, as those of a computed Q do, are equal. */
static bool is_like(const class_sum *work, const unit_class *class, size_t i, double sign) {
    const isg_spin_model *model = &work->model;
    const double *first = model->weights + class->first * model->p;
    const double *row = model->weights + i * model->p;
    if (fabs(model->field[class->first] - sign * model->field[i]) > work->field_tolerance)
        return false;
    for (size_t mu = 0; mu < model->p; mu++)
        if (fabs(first[mu] - sign * row[mu]) > work->row_tolerance)
            return false;
    return true;
}

/* Adds unit i to a class. Row and field accumulate differences from the first unit, which are
   exact; find_classes() turns them into means. */
static void join(const isg_spin_model *model, unit_class *class, size_t i, double sign) {
    class->size++;
    class->field += sign * model->field[i] - model->field[class->first];
    for (size_t mu = 0; mu < model->p; mu++)
        class->row[mu] +=
            sign * model->weights[i * model->p + mu] - model->weights[class->first * model->p + mu];
}

/* Finds the class of unit i, or opens one. */
static isg_status classify(class_sum *work, size_t i) {
    const isg_spin_model *model = &work->model;
    const double *row = model->weights + i * model->p;
    bool is_zero = true;
    for (size_t mu = 0; mu < model->p; mu++)
        is_zero = is_zero && row[mu] == 0;
    if (is_zero) {
        work->log_free += ISG_LN_2 + isg_log_cosh(model->beta * model->field[i]);
        return ISG_OK;
    }
    for (size_t k = 0; k < work->n_classes; k++)
        for (int sign = 1; sign >= -1; sign -= 2)
            if (is_like(work, &work->classes[k], i, sign)) {
                join(model, &work->classes[k], i, sign);
                return ISG_OK;
            }
    if (work->n_classes == MAX_CLASSES)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "class sums: the %zu visible units have more than %d different rows of W",
                        model->n, MAX_CLASSES);
    unit_class *class = &work->classes[work->n_classes];
    class->first = i;
    ISG_TRY(ISG_ALLOCATE(class->row, model->p));
    work->n_classes++;
    join(model, class, i, 1);
    return ISG_OK;
}

/* How much rounding may change numbers of this size. */
static double rounding(const double *values, size_t count) {
    double largest = 0;
    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(values[k]));
    return 64 * DBL_EPSILON * largest;
}

static isg_status find_classes(class_sum *work, double max_terms) {
    const isg_spin_model *model = &work->model;
    double terms = 1;
    work->row_tolerance = rounding(model->weights, model->n * model->p);
    work->field_tolerance = rounding(model->field, model->n);
    for (size_t i = 0; i < model->n; i++)
        ISG_TRY(classify(work, i));
    for (size_t k = 0; k < work->n_classes; k++) {
        unit_class *class = &work->classes[k];
        terms *= (double)class->size + 1;
        class->field = model->field[class->first] + class->field / (double)class->size;
        for (size_t mu = 0; mu < model->p; mu++)
            class->row[mu] =
                model->weights[class->first * model->p + mu] + class->row[mu] / (double)class->size;
    }
    if (terms > max_terms)
        return isg_fail(ISG_ERR_UNSUPPORTED,
                        "class sums: %zu classes of equal rows of W make %.3g terms, more than "
                        "%.0e",
                        work->n_classes, terms, max_terms);
    work->n_terms = (size_t)terms;
    return ISG_OK;
}

/* ln binomial(n, u), by the ratio of neighbors from u = 0 to the middle, and its mirror image. */
static isg_status tabulate_binomials(unit_class *class) {
    const size_t n = class->size;
    ISG_TRY(ISG_ALLOCATE(class->log_binomials, n + 1));
    isg_sum sum = {0};
    for (size_t u = 0; u <= n / 2; u++) {
        class->log_binomials[u] = class->log_binomials[n - u] = isg_sum_value(sum);
        isg_sum_add(&sum, isg_log((double)(n - u) / (double)(u + 1)));
    }
    return ISG_OK;
}

/* The position of a block among its terms, counted with u_0 as the fastest digit. */
typedef struct odometer {
    const class_sum *work;
    size_t up[MAX_CLASSES];
    double field_sum, log_ways; /* f.s and ln of the number of states, of the classes k > 0 */
    double *input;              /* W^T s (p), likewise; */
    double *total;              /* and with class 0 */
} odometer;

/* Sums up the slow digits from scratch; updating them would let rounding errors accumulate. */
static void settle(odometer *state) {
    const class_sum *work = state->work;
    state->field_sum = state->log_ways = 0;
    for (size_t mu = 0; mu < work->model.p; mu++)
        state->input[mu] = 0;
    for (size_t k = 1; k < work->n_classes; k++) {
        const unit_class *class = &work->classes[k];
        const double spins = 2 * (double)state->up[k] - (double)class->size;
        state->field_sum += spins * class->field;
        state->log_ways += class->log_binomials[state->up[k]];
        for (size_t mu = 0; mu < work->model.p; mu++)
            state->input[mu] += spins * class->row[mu];
    }
}

static double exponent(const odometer *state) {
    const class_sum *work = state->work;
    const unit_class *class = &work->classes[0];
    const double spins = 2 * (double)state->up[0] - (double)class->size;
    for (size_t mu = 0; mu < work->model.p; mu++)
        state->total[mu] = state->input[mu] + spins * class->row[mu];
    return state->log_ways + class->log_binomials[state->up[0]] +
           isg_spin_model_exponent(&work->model, state->field_sum + spins * class->field,
                                   state->total);
}

static void advance(odometer *state) {
    size_t k = 0;
    while (k < state->work->n_classes && state->up[k] == state->work->classes[k].size)
        state->up[k++] = 0;
    if (k < state->work->n_classes)
        state->up[k]++;
    if (k > 0)
        settle(state);
}

static double sum_block(const void *problem, size_t block, double *scratch) {
    const class_sum *work = problem;
    const size_t first = block * ISG_BLOCK_TERMS, left = work->n_terms - first;
    const size_t count = left < ISG_BLOCK_TERMS ? left : ISG_BLOCK_TERMS;
    double exponents[ISG_BLOCK_TERMS];
    odometer state = {.work = work, .input = scratch, .total = scratch + work->model.p};
    for (size_t k = 0, rest = first; k < work->n_classes; k++) {
        state.up[k] = rest % (work->classes[k].size + 1);
        rest /= work->classes[k].size + 1;
    }
    settle(&state);
    for (size_t t = 0; t < count; t++) {
        exponents[t] = exponent(&state);
        advance(&state);
    }
    return isg_log_sum_exp(exponents, count);
}

static isg_status start(class_sum *work, const isg_rbm *rbm, double max_terms) {
    ISG_TRY(isg_spin_model_start(&work->model, rbm));
    ISG_TRY(find_classes(work, max_terms));
    for (size_t k = 0; k < work->n_classes; k++)
        ISG_TRY(tabulate_binomials(&work->classes[k]));
    return ISG_OK;
}

static void release(class_sum *work) {
    isg_release(work->model.field);
    for (size_t k = 0; k < work->n_classes; k++) {
        isg_release(work->classes[k].row);
        isg_release(work->classes[k].log_binomials);
    }
}

isg_status isg_exact_class_sums(const isg_rbm *rbm, double *log_z, const isg_progress *progress) {
    return isg_exact_class_sums_within(rbm, 1e9, log_z, progress);
}

isg_status isg_exact_class_sums_within(const isg_rbm *rbm, double most_terms, double *log_z,
                                       const isg_progress *progress) {
    class_sum work = {.n_terms = 1};
    isg_status status = ISG_OK;
    double value = 0;
    ISG_TRY_GOTO(start(&work, rbm, most_terms));
    const size_t n_blocks = (work.n_terms + ISG_BLOCK_TERMS - 1) / ISG_BLOCK_TERMS;
    if (work.n_classes > 0)
        ISG_TRY_GOTO(
            isg_exact_add_blocks(&value, sum_block, &work, n_blocks, 2 * work.model.p, progress));
    ISG_TRY_GOTO(isg_exact_finish(log_z, value + work.log_free));
done:
    release(&work);
    return status;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The most terms whose probabilities are stored: 32 MB. */
enum { MAX_SAMPLED_TERMS = 4000000 };

/* Which class a unit belongs to, -1 for none, and whether its spin was renamed. */
typedef struct membership {
    int class;
    bool is_renamed;
} membership;

static membership membership_of(const class_sum *work, size_t i) {
    for (size_t k = 0; k < work->n_classes; k++)
        for (int sign = 1; sign >= -1; sign -= 2)
            if (is_like(work, &work->classes[k], i, sign))
                return (membership){(int)k, sign < 0};
    return (membership){-1, false};
}

/* cumulated[t] = probability of terms 0 to t, up to a common factor. */
static void cumulate(const class_sum *work, double *cumulated, double *scratch) {
    odometer state = {.work = work, .input = scratch, .total = scratch + work->model.p};
    double largest = -HUGE_VAL, sum = 0;
    settle(&state);
    for (size_t t = 0; t < work->n_terms; t++) {
        cumulated[t] = exponent(&state);
        largest = fmax(largest, cumulated[t]);
        advance(&state);
    }
    for (size_t t = 0; t < work->n_terms; t++)
        cumulated[t] = sum += isg_exp(cumulated[t] - largest);
}

/* One state: a term, then which units of every class are up, all choices equally likely. */
static void sample_state(const class_sum *work, const membership *members, const double *cumulated,
                         isg_cursor *random, uint64_t *spins) {
    const isg_spin_model *model = &work->model;
    size_t term = isg_next_of(random, cumulated, work->n_terms);
    size_t up[MAX_CLASSES], left[MAX_CLASSES];
    for (size_t k = 0; k < work->n_classes; k++) {
        left[k] = work->classes[k].size;
        up[k] = term % (left[k] + 1);
        term /= left[k] + 1;
    }
    for (size_t i = 0; i < model->n; i++) {
        const int k = members[i].class;
        bool is_up;
        if (k < 0) {
            is_up =
                isg_next_uniform(random) * (1 + isg_exp(-2 * model->beta * model->field[i])) < 1;
        } else {
            is_up = isg_next_below(random, left[k]--) < up[k];
            up[k] -= is_up;
        }
        isg_bit_assign(spins, i, is_up != members[i].is_renamed);
    }
}

isg_status isg_exact_class_samples(const isg_rbm *rbm, size_t count, uint64_t seed,
                                   uint64_t *spins) {
    class_sum work = {.n_terms = 1};
    isg_status status = ISG_OK;
    double *cumulated = NULL, *scratch = NULL;
    membership *members = NULL;
    const size_t words = isg_words(rbm->info.n_visible);
    ISG_TRY_GOTO(start(&work, rbm, MAX_SAMPLED_TERMS));
    ISG_TRY_GOTO(ISG_ALLOCATE(cumulated, work.n_terms));
    ISG_TRY_GOTO(ISG_ALLOCATE(scratch, 2 * work.model.p));
    ISG_TRY_GOTO(ISG_ALLOCATE(members, work.model.n));
    for (size_t i = 0; i < work.model.n; i++)
        members[i] = membership_of(&work, i);
    cumulate(&work, cumulated, scratch);
    for (size_t k = 0; k < count; k++) {
        isg_cursor random = isg_cursor_at(isg_stream_at(seed, ISG_PURPOSE_EXACT, 0, (uint32_t)k));
        sample_state(&work, members, cumulated, &random, spins + k * words);
    }
done:
    release(&work);
    isg_release(cumulated);
    isg_release(scratch);
    isg_release(members);
    return status;
}
