/* states_text.c - deep states in words, as rows of results and as arrays
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/verbs/states_text.h"

#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "src/base/bits.h"
#include "src/base/elementary.h"
#include "src/io/meta.h"

/* A state is called a mixture if it differs from it in at most one of so many spins. */
enum { ONE_IN = 50 };

/* ---- names ----------------------------------------------------------------------------------- */

/* The label where it says which pattern it is, else with the number behind it. */
static char *name_of(const isg_patterns *patterns, size_t mu) {
    const size_t p = isg_patterns_describe(patterns).n_patterns;
    const char *label = isg_patterns_label(patterns, mu);
    bool is_unique = label != NULL;
    for (size_t nu = 0; is_unique && nu < p; nu++) {
        const char *other = isg_patterns_label(patterns, nu);
        is_unique = nu == mu || !other || strcmp(other, label) != 0;
    }
    return is_unique ? memory_format("%s", label) : memory_format("%s#%zu", label ? label : "", mu);
}

/* "a + b - c" */
static char *formula_of(const isg_patterns *patterns, const isg_deep_mixture *mixture) {
    char *names[3], *formula = NULL;
    for (size_t q = 0; q < 3; q++)
        names[q] = name_of(patterns, mixture->patterns[q]);
    if (names[0] && names[1] && names[2])
        formula = memory_format(mixture->is_sum ? "%s%s %c %s %c %s" : "sgn(%s%s %c %s %c %s)",
                                mixture->signs[0] < 0 ? "-" : "", names[0],
                                mixture->signs[1] < 0 ? '-' : '+', names[1],
                                mixture->signs[2] < 0 ? '-' : '+', names[2]);
    for (size_t q = 0; q < 3; q++)
        memory_release(names[q]);
    return formula;
}

static exit_code name_mixture(state_line *line, const isg_patterns *patterns) {
    const isg_deep_mixture *found = &line->state.mixture;
    state_mixture *named = &line->named;
    named->formula = formula_of(patterns, found);
    if (!named->formula)
        return fail_memory();
    named->distance = found->distance;
    named->is_sum = found->is_sum;
    for (size_t q = 0; q < 3; q++)
        named->sign[q] = found->signs[q];
    named->patterns = (result_list){found->patterns, 3, sizeof found->patterns[0]};
    named->signs = (result_list){named->sign, 3, sizeof named->sign[0]};
    line->mixture = named;
    line->kind = "mixture";
    line->what = found->distance == 0 ? memory_format("%s", named->formula)
                                      : memory_format("%s but for %zu spin%s", named->formula,
                                                      found->distance, plural(found->distance));
    return line->what ? EXIT_DONE : fail_memory();
}

static exit_code name_state(state_line *line, const isg_patterns *patterns, size_t n_visible) {
    const isg_deep_mixture *mixture = &line->state.mixture;
    line->has_patterns = true;
    line->label = isg_patterns_label(patterns, line->nearest);
    line->name = name_of(patterns, line->nearest);
    if (!line->name)
        return fail_memory();
    line->is_pattern = line->distance == 0;
    line->kind = line->is_pattern ? "pattern" : "other";
    if (!line->is_pattern && mixture->patterns[0] != SIZE_MAX &&
        mixture->distance <= n_visible / ONE_IN && mixture->distance < line->distance)
        return name_mixture(line, patterns);
    line->what = memory_format("%s", line->kind);
    return line->what ? EXIT_DONE : fail_memory();
}

/* ---- all of them ----------------------------------------------------------------------------- */

static state_line describe(const isg_deep_states *states, size_t k, double log_z) {
    const isg_deep_states_info info = isg_deep_states_describe(states);
    const isg_deep_state state = isg_deep_states_at(states, k);
    state_line line = {.number = k,
                       .energy = state.energy,
                       .well = state.well,
                       .reached = state.reached,
                       .nearest = state.nearest,
                       .overlap = state.overlap,
                       .distance = state.nearest == SIZE_MAX ? SIZE_MAX : state.distance,
                       .mixture_distance = state.mixture.patterns[0] == SIZE_MAX
                                               ? SIZE_MAX
                                               : state.mixture.distance,
                       .state = state};
    /* Rounding tells ground states apart, and means nothing. */
    line.depth = k < info.ground ? 0 : state.energy - isg_deep_states_at(states, 0).energy;
    line.basin = info.starts > 0 ? (double)state.reached / (double)info.starts : (double)NAN;
    line.share = isg_exp(-info.beta * state.energy - log_z) * (info.is_even ? 2 : 1);
    return line;
}

exit_code states_text_create(states_text *out, const isg_deep_states *states,
                             const isg_patterns *patterns, double log_z, size_t show) {
    const isg_deep_states_info info = isg_deep_states_describe(states);
    exit_code code = EXIT_DONE;
    *out = (states_text){.has_patterns = patterns != NULL};
    out->lines = memory_allocate(info.count, sizeof *out->lines);
    if (!out->lines)
        return fail_memory();
    out->count = info.count;
    for (size_t k = 0; code == EXIT_DONE && k < info.count; k++) {
        out->lines[k] = describe(states, k, log_z);
        out->lines[k].is_shown = k < show;
        if (patterns)
            code = name_state(&out->lines[k], patterns, info.n_visible);
    }
    return code;
}

void states_text_free(states_text *text) {
    for (size_t k = 0; k < text->count; k++) {
        memory_release(text->lines[k].name);
        memory_release(text->lines[k].what);
        memory_release(text->lines[k].named.formula);
    }
    memory_release(text->lines);
    *text = (states_text){0};
}

/* ---- arrays ---------------------------------------------------------------------------------- */

typedef struct column {
    const char *name;
    size_t offset;
} column;

static isg_status add_numbers(isg_npz_writer *writer, const states_text *text) {
    static const column columns[] = {{"energy", offsetof(state_line, energy)},
                                     {"share", offsetof(state_line, share)},
                                     {"well", offsetof(state_line, well)}};
    double *numbers = memory_allocate(text->count, sizeof *numbers);
    isg_status status = numbers ? ISG_OK : ISG_ERR_MEMORY;
    for (size_t c = 0; status == ISG_OK && c < sizeof columns / sizeof columns[0]; c++) {
        for (size_t k = 0; k < text->count; k++)
            memcpy(&numbers[k], (const char *)&text->lines[k] + columns[c].offset, sizeof *numbers);
        status = isg_npz_writer_add_doubles(writer, columns[c].name, numbers, 1, text->count, 0);
    }
    memory_release(numbers);
    return status;
}

/* What is not there, SIZE_MAX, is -1. */
static isg_status add_whole(isg_npz_writer *writer, const states_text *text) {
    static const column columns[] = {{"reached", offsetof(state_line, reached)},
                                     {"nearest", offsetof(state_line, nearest)},
                                     {"distance", offsetof(state_line, distance)},
                                     {"mixture_distance", offsetof(state_line, mixture_distance)}};
    const isg_array_type type = isg_array_type_of(ISG_INT64, 1, &text->count);
    int64_t *numbers = memory_allocate(text->count, sizeof *numbers);
    isg_status status = numbers ? ISG_OK : ISG_ERR_MEMORY;
    for (size_t c = 0; status == ISG_OK && c < sizeof columns / sizeof columns[0]; c++) {
        for (size_t k = 0; k < text->count; k++) {
            size_t value;
            memcpy(&value, (const char *)&text->lines[k] + columns[c].offset, sizeof value);
            numbers[k] = (int64_t)value;
        }
        status = isg_npz_writer_add_array(writer, columns[c].name, &type, numbers);
    }
    memory_release(numbers);
    return status;
}

static isg_status add_mixtures(isg_npz_writer *writer, const states_text *text) {
    const size_t count = text->count, dims[2] = {count, 3};
    const isg_array_type numbers = isg_array_type_of(ISG_INT64, 2, dims),
                         signs = isg_array_type_of(ISG_INT8, 2, dims),
                         flags = isg_array_type_of(ISG_BOOL, 1, dims);
    int64_t *mixture = memory_allocate(count, 3 * sizeof *mixture);
    int8_t *sign = memory_allocate(count, 3), *is_sum = memory_allocate(count, 1);
    isg_status status = mixture && sign && is_sum ? ISG_OK : ISG_ERR_MEMORY;
    for (size_t k = 0; status == ISG_OK && k < count; k++) {
        const isg_deep_mixture *found = &text->lines[k].state.mixture;
        is_sum[k] = found->is_sum;
        for (size_t q = 0; q < 3; q++) {
            mixture[3 * k + q] = (int64_t)found->patterns[q];
            sign[3 * k + q] = (int8_t)found->signs[q];
        }
    }
    if (status == ISG_OK)
        status = isg_npz_writer_add_array(writer, "mixture", &numbers, mixture);
    if (status == ISG_OK)
        status = isg_npz_writer_add_array(writer, "signs", &signs, sign);
    if (status == ISG_OK)
        status = isg_npz_writer_add_array(writer, "is_sum", &flags, is_sum);
    memory_release(mixture);
    memory_release(sign);
    memory_release(is_sum);
    return status;
}

static isg_status add_spins(isg_npz_writer *writer, const states_text *text, size_t n) {
    const isg_array_type type = isg_array_type_of(ISG_INT8, 2, (size_t[]){text->count, n});
    int8_t *spins = memory_allocate(text->count, n);
    if (!spins)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < text->count; k++)
        for (size_t i = 0; i < n; i++)
            spins[k * n + i] = (int8_t)(isg_bit(text->lines[k].state.spins, i) ? 1 : -1);
    const isg_status status = isg_npz_writer_add_array(writer, "s", &type, spins);
    memory_release(spins);
    return status;
}

exit_code states_text_save(const states_text *text, const isg_deep_states *states,
                           const invocation *call, const char *path, size_t height, size_t width) {
    const isg_meta meta = {.kind = "states",
                           .seed = call->common.seed,
                           .command = call->command_line,
                           .image_height = height,
                           .image_width = width};
    isg_npz_writer *writer = NULL;
    isg_status status = isg_npz_writer_create(&writer, path);
    if (status != ISG_OK)
        return fail_status(status);
    status = add_spins(writer, text, isg_deep_states_describe(states).n_visible);
    if (status == ISG_OK)
        status = add_numbers(writer, text);
    if (status == ISG_OK)
        status = add_whole(writer, text);
    if (status == ISG_OK)
        status = add_mixtures(writer, text);
    if (status == ISG_OK)
        status = isg_meta_write(&meta, writer);
    return fail_status(isg_npz_writer_end(writer, status, NULL, NULL));
}

/* ---- rows of results ------------------------------------------------------------------------- */

/* clang-format off */
static const result_entry mixture_results[] = {
    RESULT(state_mixture, formula, "the mixture in terms of labels, with #number where labels are not unique"),
    RESULT_LIST_OF(state_mixture, patterns, result_sizes, "the numbers of the three patterns, from 0"),
    RESULT_LIST_OF(state_mixture, signs, result_numbers, "their signs"),
    RESULT(state_mixture, distance, "spins in which the state differs from it"),
    RESULT(state_mixture, is_sum, "whether the sum is +1 or -1 at every spin, without a sgn"),
    {.key = NULL}};

#define IS(field, what) RESULT(state_line, field, what)

const result_entry states_text_results[] = {
    IS(energy, "H"),
    IS(depth, "H above the lowest"),
    IS(share, "share of Z, with its mirror image if is_even; at most this with --log-z bound"),
    IS(well, "share of Z in the well whose deepest state it is, with its mirror image if is_even; null if it is in the "
             "well of another, in none, or not known: ln Z was given, or it is not by wells but exact or by annealing"),
    IS(reached, "random starts that end in it"),
    IS(basin, "the share of these"),
    IS(nearest, "number of the nearest pattern, from 0, or null"),
    IS(label, "its label, or null"),
    IS(overlap, "overlap with it"),
    IS(distance, "spins in which they differ"),
    IS(kind, "pattern, mixture or other; null if there are no patterns"),
    RESULT_POINTER(state_line, mixture, mixture_results, "null unless it is one"),
    RESULT_HIDDEN(state_line, number),
    RESULT_HIDDEN(state_line, name), RESULT_HIDDEN(state_line, what),
    RESULT_HIDDEN(state_line, is_shown), RESULT_HIDDEN(state_line, has_patterns),
    {.when = "is_shown&has_patterns",
     .text = "{number:5} {energy:12.4f} {depth:10.4f} {share:12.4g} {well:10.4g?} {basin:8.3f?}  {name:-12.12} "
             "{overlap:8.4f} {distance:7}  {what}"},
    {.when = "is_shown&!has_patterns",
     .text = "{number:5} {energy:12.4f} {depth:10.4f} {share:12.4g} {well:10.4g?} {basin:8.3f?}"},
    {.key = NULL}};
/* clang-format on */
