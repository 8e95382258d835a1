/* cmd_unmap.c - isinglass unmap: from an RBM back to the patterns of a Hopfield network
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/data_input.h"
#include "cli/model_input.h"
#include "cli/progress.h"

typedef struct unmap_settings {
    data_settings data;
    const char *out, *picture, *start, *data_name;
    size_t method; /* an isg_unmap_method */
    size_t restarts, steps;
    double alpha, gamma;
    bool flip;
} unmap_settings;

static const char *const method_choices[] = {"descent", "relax", "enumerate", NULL};
static const char *const verdicts[] = {"exact", "approximate", "none"};

/* What was asked of the library, and what it said. */
typedef struct unmapped {
    isg_rbm *rbm;
    isg_patterns *start;
    isg_dataset *data;
    isg_integrated whole; /* the spins alone */
    double *sigma;        /* (n_sigma) */
    size_t n_sigma;
    isg_unmapping *result;
    isg_unmap_report report;
} unmapped;

/* ---- finding out -------------------------------------------------------------------------------- */

static bool is_random(const unmap_settings *settings) {
    return settings->start && strcmp(settings->start, "random") == 0;
}

static exit_code check(const invocation *call) {
    static const char *const of_data[] = {"labels", "label-column", "header", "threshold",
                                          "class",  "limit",        NULL};
    const unmap_settings *settings = call->settings;
    for (size_t k = 0; !settings->data_name && of_data[k]; k++)
        if (call_has_option(call, of_data[k]))
            return fail(EXIT_MISUSED, "--%s: says how to read --data, which was not given",
                        of_data[k]);
    exit_code code = may_write(&call->common, settings->out, ".npz");
    if (code == EXIT_DONE && settings->picture)
        code = may_write(&call->common, settings->picture, ".png");
    return code;
}

static exit_code load(unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    const char *name = call->arguments[0];
    exit_code code = model_load(&my->rbm, name);
    if (code != EXIT_DONE)
        return code;
    const isg_rbm_info info = isg_rbm_describe(my->rbm);
    if (settings->picture && !info.image_height)
        return fail(EXIT_BAD_INPUT, "%s: --picture needs units that are an image, these are not",
                    name);
    if (settings->start && !is_random(settings)) {
        code = fail_status(isg_patterns_load(&my->start, settings->start));
        if (code != EXIT_DONE)
            return code;
        const isg_patterns_info found = isg_patterns_describe(my->start);
        if (found.n_visible != info.n_visible)
            return fail(EXIT_BAD_INPUT,
                        "%s: has patterns of %zu units, but %s has %zu visible ones",
                        settings->start, found.n_visible, name, info.n_visible);
        if (settings->method != ISG_UNMAP_ENUMERATE && found.n_patterns != info.n_hidden)
            return fail(
                EXIT_BAD_INPUT,
                "%s: has %zu patterns, but %s has %zu hidden units, each of which needs one",
                settings->start, found.n_patterns, name, info.n_hidden);
    }
    if (settings->data_name) {
        code = data_load(&my->data, call, settings->data_name, &settings->data);
        if (code == EXIT_DONE && isg_dataset_describe(my->data).n_visible != info.n_visible)
            code = fail(EXIT_BAD_INPUT, "%s: has %zu units, but %s has %zu visible ones",
                        settings->data_name, isg_dataset_describe(my->data).n_visible, name,
                        info.n_visible);
    }
    return code;
}

static exit_code integrate(unmapped *my) {
    const isg_rbm_info info = isg_rbm_describe(my->rbm);
    my->n_sigma = info.n_visible < info.n_hidden ? info.n_visible : info.n_hidden;
    my->sigma = memory_allocate(my->n_sigma, sizeof *my->sigma);
    if (!my->sigma)
        return fail_memory();
    return fail_status(isg_rbm_integrate(my->rbm, &my->whole, my->sigma, NULL));
}

static exit_code unmap(unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    isg_unmap_options options = isg_unmap_defaults();
    options.method = (isg_unmap_method)settings->method;
    options.start = is_random(settings) ? ISG_UNMAP_FROM_RANDOM
                    : my->start         ? ISG_UNMAP_FROM_PATTERNS
                                        : ISG_UNMAP_FROM_MODEL;
    options.patterns = my->start;
    options.data = my->data;
    options.restarts = settings->restarts;
    options.alpha = settings->alpha;
    options.gamma = settings->gamma;
    options.steps = settings->steps;
    options.flip = settings->flip;
    options.seed = call->common.seed;
    if (options.method == ISG_UNMAP_ENUMERATE && my->whole.n_hidden > 24)
        notice(call->common.quiet,
               "%s: %zu hidden units are too many to enumerate (24 at most): relaxing %zu random "
               "states a pattern%s instead",
               call->arguments[0], my->whole.n_hidden, settings->restarts,
               my->data ? " and as many rows of --data" : "");
    progress bar;
    progress_start(&bar, call->common.quiet, "searching");
    const isg_status status = isg_unmap(&my->result, my->rbm, &options, progress_callback(&bar));
    progress_finish(&bar);
    if (status == ISG_ERR_ARGUMENT) /* the step size, as the options have no other left to refuse */
        return fail(EXIT_MISUSED, "--%s", isg_error_message());
    if (status == ISG_ERR_DEPENDENT)
        return fail(EXIT_BAD_INPUT, "%s: %s", call->arguments[0], isg_error_message());
    if (status == ISG_OK)
        my->report = isg_unmapping_describe(my->result);
    if (status == ISG_OK && my->data &&
        (my->report.start != ISG_UNMAP_FROM_RANDOM || my->report.is_exhaustive))
        notice(call->common.quiet, "--data: not used, since %s",
               my->report.is_exhaustive ? "every start was tried"
                                        : "every pattern has a start; add --start random");
    return fail_status(status);
}

static exit_code write_files(const unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    if (settings->picture) {
        const exit_code code = fail_status(isg_unmapping_picture(my->result, settings->picture));
        if (code != EXIT_DONE)
            return code;
    }
    return fail_status(isg_patterns_save(isg_unmapping_patterns(my->result), settings->out,
                                         call->common.seed, call->command_line));
}

/* ---- saying it ---------------------------------------------------------------------------------- */

static const char *start_words(const unmapped *my) {
    if (my->report.start == ISG_UNMAP_FROM_PATTERNS)
        return "patterns";
    if (my->report.start == ISG_UNMAP_FROM_RANDOM)
        return my->report.is_exhaustive ? "all" : "random";
    return "model";
}

static json_t *state_json(isg_unmapped_state state) {
    return json_pack("{s:b, s:b, s:b}", "fixed_point", state.is_fixed_point,
                     "fixed_point_without_diagonal", state.is_fixed_point_without_diagonal,
                     "stable", state.is_stable);
}

static json_t *size_json(size_t number) {
    return number == SIZE_MAX ? json_null() : json_integer((json_int_t)number);
}

static json_t *pattern_json(const unmapped *my, size_t mu) {
    const isg_unmapped_pattern one = isg_unmapping_pattern(my->result, mu);
    const char *label = isg_patterns_label(isg_unmapping_patterns(my->result), mu);
    return json_pack("{s:o, s:o, s:o, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:b, s:b, s:I}", //
                     "label", label ? json_text(label) : json_null(),                     //
                     "residual", json_number(one.residual),                               //
                     "error", json_number(one.error),                                     //
                     "fixed_point", one.projector.is_fixed_point,                         //
                     "fixed_point_without_diagonal",
                     one.projector.is_fixed_point_without_diagonal,                    //
                     "stable", one.projector.is_stable,                                //
                     "bits_changed", size_json(one.bits_changed),                      //
                     "known", size_json(one.known),                                    //
                     "same_as", size_json(one.same_as == mu ? SIZE_MAX : one.same_as), //
                     "model", state_json(one.model),                                   //
                     "condition_a", one.n_small == my->report.n_visible,               //
                     "condition_b", one.n_compatible == my->report.n_visible,          //
                     "units_without_condition", (json_int_t)one.n_left_over);
}

static json_t *patterns_json(const unmapped *my) {
    json_t *list = json_array();
    for (size_t mu = 0; list && mu < my->report.n_patterns; mu++)
        if (json_array_append_new(list, pattern_json(my, mu)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *numbers_json(const double *numbers, size_t count) {
    json_t *list = json_array();
    for (size_t k = 0; list && k < count; k++)
        if (json_array_append_new(list, json_number(numbers[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *whole_json(const unmapped *my) {
    const isg_integrated *whole = &my->whole;
    return json_pack("{s:o, s:o, s:o, s:b, s:b, s:o, s:b}",                          //
                     "orthogonality_error", json_number(whole->orthogonality_error), //
                     "orthogonal_distance", json_number(whole->orthogonal_distance), //
                     "correction", json_number(whole->correction),                   //
                     "binary", whole->is_binary,                                     //
                     "hebbian", whole->is_hebbian,                                   //
                     "hebbian_beta", json_number(whole->hebbian_beta),               //
                     "field", whole->has_field);
}

static json_t *as_json(const unmapped *my, const unmap_settings *settings) {
    const isg_unmap_report *report = &my->report;
    json_t *all =
        json_pack("{s:o, s:o, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}",            //
                  "file", json_text(settings->out),                                          //
                  "picture", settings->picture ? json_text(settings->picture) : json_null(), //
                  "method", method_choices[report->method],                                  //
                  "start", start_words(my),                                                  //
                  "n_visible", (json_int_t)report->n_visible,                                //
                  "n_hidden", (json_int_t)report->n_hidden,                                  //
                  "n_patterns", (json_int_t)report->n_patterns,                              //
                  "distinct", (json_int_t)report->n_distinct,                                //
                  "rank", (json_int_t)report->rank,                                          //
                  "starts", (json_int_t)report->n_starts,                                    //
                  "candidates", (json_int_t)report->n_candidates,                            //
                  "exhaustive", report->is_exhaustive);
    json_t *rest = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o}",    //
                             "residual", json_number(report->residual),               //
                             "error", json_number(report->error),                     //
                             "residual_before", json_number(report->residual_before), //
                             "error_before", json_number(report->error_before),       //
                             "sign_baseline", json_number(report->sign_baseline),     //
                             "random_baseline", json_number(report->random_baseline), //
                             "binarization", verdicts[report->verdict],               //
                             "patterns", patterns_json(my),                           //
                             "singular_values", numbers_json(my->sigma, my->n_sigma), //
                             "integrated", whole_json(my));
    if (!all || !rest || json_object_update(all, rest) != 0) {
        json_decref(all);
        all = NULL;
    }
    json_decref(rest);
    return all;
}

static void print_whole(output *out, const unmapped *my, const char *name) {
    const isg_integrated *whole = &my->whole;
    output_field(out, "model", "%s: %zu visible, %zu hidden units, beta %g", name, whole->n_visible,
                 whole->n_hidden, isg_rbm_describe(my->rbm).beta);
    output_field(out, "J = WW'", "singular values of W %.4g to %.4g, |W'W - 1| %.1e",
                 my->sigma[my->n_sigma - 1], my->sigma[0], whole->orthogonality_error);
    output_field(out, "nearest projector", "|W - L| %.3g, L = UV'; |C - UU'| %.3g, C = US^-2U'",
                 whole->orthogonal_distance, whole->correction);
    if (whole->is_hebbian)
        output_field(out, "W is binary", "the Hebbian network of its signs at beta %g",
                     whole->hebbian_beta);
    else if (whole->is_binary)
        output_field(out, "W is binary", "but its columns differ in size: a weighted Hebbian rule");
    if (whole->has_field)
        output_field(out, "field", "b + Wc is not zero");
}

static void print_method(output *out, const unmapped *my) {
    const isg_unmap_report *report = &my->report;
    const char *method = method_choices[report->method];
    if (report->is_exhaustive)
        output_field(out, "method", "%s: all %zu starts, %zu different limits", method,
                     report->n_starts, report->n_candidates);
    else if (report->start == ISG_UNMAP_FROM_RANDOM)
        output_field(out, "method", "%s: %zu starts, %zu different results", method,
                     report->n_starts, report->n_candidates);
    else
        output_field(out, "method", "%s, from %s", method,
                     report->start == ISG_UNMAP_FROM_PATTERNS ? "the patterns given (X0 = W^+ xi)"
                     : isg_rbm_coefficients(my->rbm).data     ? "the model's R (X0 = R)"
                     : isg_rbm_patterns(my->rbm)              ? "the model's patterns (X0 = W^+ xi)"
                                                              : "the columns of W");
    if (isfinite(report->error_before))
        output_field(out, "|E|", "%.5g, was %.5g (E = WX - sgn(WX))", report->error,
                     report->error_before);
    else
        output_field(out, "|E|", "%.5g (E = WX - sgn(WX))", report->error);
    output_field(out, "residual", "%.5g; of random signs %.5g, found for a random W %.5g",
                 report->residual, report->sign_baseline, report->random_baseline);
}

static void print_verdict(output *out, const unmapped *my) {
    const isg_unmap_report *report = &my->report;
    const double share = report->residual / report->random_baseline;
    if (report->verdict == ISG_BINARIZATION_EXACT)
        output_field(out, "binarization", "exact: WX = B, J%s a Hopfield network",
                     my->whole.orthogonality_error < 1e-9 || my->whole.is_hebbian
                         ? " is"
                         : "'s span is that of");
    else if (report->verdict == ISG_BINARIZATION_APPROXIMATE)
        output_field(out, "binarization", "approximate: %.3g of the residual of a random W", share);
    else
        output_field(out, "binarization",
                     "none: no good one exists here. The residual is %.3g of that of a random W, "
                     "so these patterns mean nothing",
                     share);
    if (report->n_hidden == report->n_visible)
        output_field(out, "beware",
                     "with as many hidden as visible units every state lies in the span of W, so "
                     "that any patterns would do");
    if (report->n_patterns < report->n_hidden)
        output_field(out, "beware", "only %zu independent patterns for %zu hidden units",
                     report->n_patterns, report->n_hidden);
    if (report->n_distinct < report->n_patterns)
        output_field(out, "beware", "only %zu of %zu patterns differ, up to sign",
                     report->n_distinct, report->n_patterns);
    else if (report->rank < report->n_patterns)
        output_field(out, "beware", "the patterns are linearly dependent, of rank %zu",
                     report->rank);
}

static const char *yes(bool is_true) {
    return is_true ? "yes" : "no";
}

/* Counts, then a line for each. */
static void print_patterns(output *out, const unmapped *my) {
    const size_t m = my->report.n_patterns;
    size_t projector[3] = {0}, model[3] = {0};
    for (size_t mu = 0; mu < m; mu++) {
        const isg_unmapped_pattern one = isg_unmapping_pattern(my->result, mu);
        projector[0] += one.projector.is_fixed_point;
        projector[1] += one.projector.is_fixed_point_without_diagonal;
        projector[2] += one.projector.is_stable;
        model[0] += one.model.is_fixed_point;
        model[1] += one.model.is_fixed_point_without_diagonal;
        model[2] += one.model.is_stable;
    }
    output_field(out, "in the projector", "%zu of %zu fixed, %zu without diagonal, %zu stable",
                 projector[0], m, projector[1], projector[2]);
    output_field(out, "in the model", "%zu of %zu fixed, %zu without diagonal, %zu stable",
                 model[0], m, model[1], model[2]);
    output_print(out, "\n%8s %-10s %10s %8s %6s %8s %6s %10s\n", "pattern", "label", "residual",
                 "changed", "fixed", "no diag", "stable", "conditions");
    for (size_t mu = 0; mu < m; mu++) {
        const isg_unmapped_pattern one = isg_unmapping_pattern(my->result, mu);
        const char *label = isg_patterns_label(isg_unmapping_patterns(my->result), mu);
        const isg_unmapped_state at = one.projector;
        output_print(out, "%8zu ", mu);
        output_cell(out, label ? label : "-", 10);
        output_print(out, " %10.4g ", one.residual);
        if (one.bits_changed == SIZE_MAX)
            output_print(out, "%8s", "-");
        else
            output_print(out, "%8zu", one.bits_changed);
        output_print(out, " %6s %8s %6s %10s", yes(at.is_fixed_point),
                     yes(at.is_fixed_point_without_diagonal), yes(at.is_stable),
                     one.n_left_over == 0 ? "met" : "not met");
        if (one.same_as != mu)
            output_print(out, "  same as %zu", one.same_as);
        output_print(out, "\n");
    }
}

static void as_text(output *out, const unmapped *my, const invocation *call) {
    const unmap_settings *settings = call->settings;
    print_whole(out, my, call->arguments[0]);
    print_method(out, my);
    print_verdict(out, my);
    if (settings->picture)
        output_field(out, "picture", "%s", settings->picture);
    output_field(out, "file", "%s", settings->out);
    print_patterns(out, my);
}

/* ---- the verb ----------------------------------------------------------------------------------- */

static exit_code run(const invocation *call) {
    unmapped my = {0};
    exit_code code = check(call);
    if (code == EXIT_DONE)
        code = load(&my, call);
    if (code == EXIT_DONE)
        code = integrate(&my);
    if (code == EXIT_DONE)
        code = unmap(&my, call);
    if (code == EXIT_DONE)
        code = write_files(&my, call);
    if (code == EXIT_DONE) {
        if (call->common.json)
            output_json(call->out, as_json(&my, call->settings));
        else
            as_text(call->out, &my, call);
    }
    isg_unmapping_free(my.result);
    isg_patterns_free(my.start);
    isg_dataset_free(my.data);
    isg_rbm_free(my.rbm);
    memory_release(my.sigma);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "M.npz", .help = "An RBM, as 'isinglass map' and 'isinglass train' write it, or the "
                              "directory of a training", .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "P.npz", .is_required = true,
     .offset = offsetof(unmap_settings, out), .help = "Write the patterns to this file"},
    {.name = "method", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = method_choices,
     .initial = "relax", .offset = offsetof(unmap_settings, method),
     .help = "Descent of the paper; b <- sgn(Pb) until it stays, P the projector on the span of W; "
             "or that from all 2^(p-1) states that can matter"},
    {.name = "start", .kind = OPTION_FILE, .metavar = "P0.npz|random",
     .offset = offsetof(unmap_settings, start), .otherwise = "the model's R, else random",
     .help = "Where descent and relax start: patterns, one per hidden unit, or random states"},
    {.name = "restarts", .kind = OPTION_SIZE, .metavar = "R", .initial = "50", .low = 1,
     .high = 1e6, .offset = offsetof(unmap_settings, restarts),
     .help = "Random states per pattern, where states are random"},
    {.name = "data", .kind = OPTION_TEXT, .metavar = "DATA",
     .offset = offsetof(unmap_settings, data_name), .otherwise = "none",
     .help = "Where states are random, start from samples as well, evenly spread and at most as "
             "many"},
    {.name = "alpha", .kind = OPTION_DOUBLE, .metavar = "A", .initial = "200", .low = 0,
     .high = HUGE_VAL, .is_above_low = true, .offset = offsetof(unmap_settings, alpha),
     .help = "Descent: sgn(x) is taken as tanh(A x)"},
    {.name = "gamma", .kind = OPTION_DOUBLE, .metavar = "G", .initial = "0.05", .low = 0,
     .high = HUGE_VAL, .is_above_low = true, .offset = offsetof(unmap_settings, gamma),
     .help = "Descent: size of a step"},
    {.name = "steps", .kind = OPTION_SIZE, .metavar = "T", .initial = "50", .low = 0,
     .high = 1e9, .offset = offsetof(unmap_settings, steps), .help = "Descent: number of steps"},
    {.name = "flip", .kind = OPTION_FLAG, .offset = offsetof(unmap_settings, flip),
     .help = "Then flip single spins while that lowers the residual, so that all patterns become "
             "stable"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png",
     .offset = offsetof(unmap_settings, picture), .otherwise = "no picture",
     .help = "Also draw the known patterns, if any, above WX above the patterns found"},
    DATA_OPTIONS(unmap_settings, data),
    {.name = NULL},
};

static const json_key json_keys[] = {
    {"file", "the file written"},
    {"picture", "the picture, or null"},
    {"method", "descent, relax or enumerate"},
    {"start", "model, patterns, random, or all if every start was tried"},
    {"n_visible", "number of visible units"},
    {"n_hidden", "number of hidden units"},
    {"n_patterns", "number of patterns found"},
    {"distinct", "number of them that differ, up to sign"},
    {"rank", "number of them that are linearly independent"},
    {"starts", "states relaxed or descended from"},
    {"candidates", "different results that the patterns were chosen from; 0 if they were not"},
    {"exhaustive", "whether every start was tried"},
    {"residual", "sum of squares |WX - B|^2 at the best X"},
    {"error", "|WX - sgn(WX)| at the X found, the root of a sum of squares"},
    {"residual_before", "the same at X0, or null"},
    {"error_before", "the same at X0, or null"},
    {"sign_baseline", "residual of random signs, on average"},
    {"random_baseline", "residual found in the same way for a random W"},
    {"binarization", "exact, approximate or none"},
    {"patterns[].label", "class, or null"},
    {"patterns[].residual", "its part of the residual"},
    {"patterns[].error", "its part of the square of the error"},
    {"patterns[].fixed_point", "whether sgn(Pb) = b, P the projector on the span of W"},
    {"patterns[].fixed_point_without_diagonal", "the same with P_ii = 0"},
    {"patterns[].stable", "whether every single flip raises the energy there"},
    {"patterns[].bits_changed", "spins that differ from the known pattern, or null"},
    {"patterns[].known", "number of that pattern, or null"},
    {"patterns[].same_as", "number of an equal pattern before it, or null"},
    {"patterns[].model", "fixed_point, fixed_point_without_diagonal, stable with J = WW' and field"},
    {"patterns[].condition_a", "whether |JE| < |WX| at all units (appendix D)"},
    {"patterns[].condition_b", "whether JE and WX have opposite signs at all units"},
    {"patterns[].units_without_condition", "units at which neither holds"},
    {"singular_values[]", "of W, falling"},
    {"integrated.orthogonality_error", "largest entry of W'W - 1 in size"},
    {"integrated.orthogonal_distance", "|W - L| from the nearest orthonormal matrix"},
    {"integrated.correction", "|C - UU'|, or null if W has not full rank"},
    {"integrated.binary", "whether every column of W is a number times a pattern"},
    {"integrated.hebbian", "whether it is the same number for all"},
    {"integrated.hebbian_beta", "beta of the Hebbian network that the RBM then is, or null"},
    {"integrated.field", "whether the field b + Wc is not zero"},
    {NULL, NULL},
};

static const example examples[] = {
    {"isinglass unmap run/model.npz -o learned.npz", "What a training made of its patterns."},
    {"isinglass unmap run -o learned.npz --picture learned.png", "The same, to look at, as in Fig. D.1 of the paper."},
    {"isinglass unmap model.npz -o found.npz --method enumerate", "The best patterns in the span of W, without a start."},
    {"isinglass unmap model.npz -o found.npz --start random --restarts 200", "From random states."},
    {NULL, NULL},
};
/* clang-format on */

const command command_unmap = {
    .name = "unmap",
    .section = "Models",
    .summary = "Map an RBM back to the patterns of a Hopfield network",
    .description =
        "With its hidden units integrated out, an RBM is a network of spins with couplings "
        "J = WW' and field b + Wc. It is a Hopfield network outright if W is binary (Hebbian) or "
        "if "
        "WX is for some X and the singular values of W are 1 (projection). In general X is sought "
        "that makes WX nearly binary; the signs B of WX are then the patterns.\n"
        "For given B the best X leaves the residual |B - PB|^2 with the projector P on the span of "
        "W. relax lowers it by b <- sgn(Pb), for each pattern from its start and from where "
        "descent "
        "gets to, and keeps the lower; the result is a fixed point of the projection network. "
        "descent is gradient descent on X with sgn replaced by tanh, as in the paper. enumerate "
        "relaxes from every sign vector on p well-chosen units, p at most 24 hidden units, and "
        "takes p patterns of small residual that are far from dependent; for more hidden units it "
        "relaxes patterns, samples and random states.\n"
        "The residual is compared with what the same search finds for random W of the same size: "
        "exact is zero up to rounding, none is more than 0.8 of it, or not below all of these. "
        "Patterns found without a start "
        "of "
        "their own stand in the order of the known patterns that they are nearest to, with their "
        "labels, even where they are not very near: see bits changed.\n"
        "The file is one of patterns, as 'isinglass patterns' writes it.",
    .arguments = arguments,
    .options = options,
    .json_keys = json_keys,
    .examples = examples,
    .settings_bytes = sizeof(unmap_settings),
    .run = run,
};
