/* starts.c - --init on the command line: the RBM from which training starts
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/starts.h"

#include <string.h>

#include "cli/progress.h"
#include "cli/suggest.h"
#include "cli/value.h"

const char *const start_names[] = {"hopfield", "hebbian", "pca",
                                   "normal",   "axes",    NULL}; /* isg_start */
const char start_help[] =
    "Weights to start from: hopfield (the projection rule of the class patterns), hebbian, pca "
    "(principal axes), axes (the same without removing means: the orthonormal weights that capture "
    "most "
    "of the data), normal "
    "(random), or a model M.npz";

/* What --init says: a start, or a model file. */
typedef struct init {
    bool is_start;
    isg_start kind;
} init;

start_settings start_defaults(void) {
    return (start_settings){.init = start_names[ISG_START_HOPFIELD], .how = isg_start_defaults()};
}

static bool parse_init(const char *text, init *out) {
    size_t index = 0;
    const size_t length = strlen(text);
    out->is_start = find_choice(start_names, text, &index);
    out->kind = (isg_start)index;
    return out->is_start || (length > 4 && strcmp(text + length - 4, ".npz") == 0);
}

static bool has_patterns(const init *from) {
    return from->is_start && (from->kind == ISG_START_HOPFIELD || from->kind == ISG_START_HEBBIAN);
}

exit_code start_check(const invocation *call, const start_settings *settings) {
    init from;
    suggestion nearest = {.typed = settings->init};
    if (!parse_init(settings->init, &from)) {
        char words[WORDS_BYTES];
        for (size_t k = 0; start_names[k]; k++)
            suggest(&nearest, start_names[k], start_names[k]);
        return fail(EXIT_MISUSED, "--init: expected %s, or a model M.npz, found '%.60s'%s%s%s",
                    list_choices(start_names, words), settings->init,
                    nearest.best[0] ? "; did you mean '" : "", nearest.best,
                    nearest.best[0] ? "'?" : "");
    }
    if (!from.is_start && call_has_option(call, "per-class"))
        return fail(EXIT_MISUSED, "--per-class: cannot be used with --init %s, a model",
                    settings->init);
    if (!(from.is_start && from.kind == ISG_START_NORMAL) && call_has_option(call, "sd"))
        return fail(EXIT_MISUSED, "--sd: needs --init normal");
    return EXIT_DONE;
}

/* ---- from the data ---------------------------------------------------------------------------- */

static exit_code check_hidden(const invocation *call, const start_settings *settings,
                              size_t n_hidden, const char *what) {
    return !call_has_option(call, "hidden") || settings->how.n_hidden == n_hidden
               ? EXIT_DONE
               : fail(EXIT_MISUSED, "--hidden %zu, but %s %zu", settings->how.n_hidden, what,
                      n_hidden);
}

size_t start_patterns(const invocation *call, const isg_dataset *data, const char *name,
                      size_t per_class) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const size_t n_classes = info.n_classes > 0 ? info.n_classes : 1;
    size_t n_patterns = 0, n_small = 0, smallest = 0, fewest = SIZE_MAX;
    for (size_t c = 0; c < n_classes; c++) {
        const size_t size = info.n_classes > 0 ? isg_dataset_class_size(data, c) : info.n_samples;
        n_patterns += size < per_class ? size : per_class;
        n_small += size < per_class;
        if (size < fewest) {
            fewest = size;
            smallest = c;
        }
    }
    if (n_small == 0 || fewest == 0) /* which is refused */
        return n_patterns;
    const char *label = isg_dataset_class_name(data, smallest);
    notice(call->common.quiet,
           "--per-class %zu: %s: %zu class%s fewer samples and get%s one pattern for each; the "
           "smallest is %s, with %zu",
           per_class, name, n_small, n_small > 1 ? "es have" : " has", n_small > 1 ? "" : "s",
           label ? label : "(all)", fewest);
    return n_patterns;
}

/* Settles `hidden`, before any work. */
static exit_code check_start(const invocation *call, start_settings *settings, const init *from,
                             const isg_dataset *data, const char *name) {
    const isg_dataset_info all = isg_dataset_describe(data), *info = &all;
    const size_t n_classes = info->n_classes > 0 ? info->n_classes : 1;
    if (settings->how.per_class > SIZE_MAX / n_classes)
        return fail_memory();
    const size_t usual = has_patterns(from)
                             ? start_patterns(call, data, name, settings->how.per_class)
                             : n_classes * settings->how.per_class;
    if (has_patterns(from)) {
        const exit_code code = check_hidden(call, settings, usual, "classes x --per-class is");
        if (code != EXIT_DONE)
            return code;
    }
    if (!call_has_option(call, "hidden"))
        settings->how.n_hidden = usual;
    if (from->kind == ISG_START_HOPFIELD && settings->how.n_hidden > info->n_visible)
        return fail(EXIT_BAD_INPUT,
                    "--init hopfield: %zu patterns of %zu units cannot be independent; choose a "
                    "smaller --per-class, or --init hebbian",
                    settings->how.n_hidden, info->n_visible);
    if (has_patterns(from) && info->n_classes == 0)
        notice(call->common.quiet, "%s: has no labels, so all samples form one class", name);
    return EXIT_DONE;
}

static exit_code from_data(isg_rbm **out, const invocation *call, start_settings *settings,
                           const init *from, const isg_dataset *data, const char *name) {
    const exit_code code = check_start(call, settings, from, data, name);
    if (code != EXIT_DONE)
        return code;
    isg_start_options options = settings->how;
    options.kind = from->kind;
    options.cap = true;
    options.seed = call->common.seed;
    progress bar;
    progress_start(&bar, call->common.quiet, "clustering");
    const isg_status status = isg_rbm_start(out, &options, NULL, data, progress_callback(&bar));
    progress_finish(&bar);
    if (status == ISG_ERR_DEPENDENT)
        return fail(EXIT_BAD_INPUT, "%s: %s; --init hebbian accepts such patterns", name,
                    isg_error_message());
    const char *smaller = call_has_option(call, "hidden") ? "; choose a smaller --hidden"
                          : settings->how.per_class > 1   ? "; choose a smaller --per-class"
                                                          : "";
    if (status == ISG_ERR_ARGUMENT) /* the data have too few samples or directions */
        return fail(EXIT_BAD_INPUT, "%s: %s%s", name, isg_error_message(), smaller);
    return fail_status(status);
}

/* ---- from a file ------------------------------------------------------------------------------ */

static exit_code from_file(isg_rbm **out, const invocation *call, const start_settings *settings,
                           const isg_dataset *data, const char *name) {
    isg_rbm *rbm = NULL;
    exit_code code = fail_status(isg_rbm_load(&rbm, settings->init));
    if (code != EXIT_DONE)
        return code;
    const isg_rbm_info info = isg_rbm_describe(rbm);
    const isg_dataset_info image = isg_dataset_describe(data);
    if (info.n_visible != image.n_visible)
        code = fail(EXIT_BAD_INPUT, "%s: has %zu visible units, but %s has %zu", settings->init,
                    info.n_visible, name, image.n_visible);
    if (code == EXIT_DONE)
        code = check_hidden(call, settings, info.n_hidden, "the model has");
    if (code == EXIT_DONE && call_has_option(call, "beta"))
        code = fail_status(isg_rbm_set_beta(rbm, settings->how.beta));
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_set_encoding(rbm, isg_dataset_encoding(data)));
    if (code == EXIT_DONE && image.image_height)
        code = fail_status(isg_rbm_set_image(rbm, image.image_height, image.image_width));
    if (code == EXIT_DONE)
        *out = rbm;
    else
        isg_rbm_free(rbm);
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A model of a file; of a file of patterns, says how to make one of it. */
static exit_code load_model(isg_rbm **out, const char *file) {
    const exit_code code = fail_status(isg_rbm_load(out, file));
    isg_patterns *patterns = NULL;
    if (code != EXIT_BAD_INPUT || isg_patterns_load(&patterns, file) != ISG_OK)
        return code;
    isg_patterns_free(patterns);
    return fail(code,
                "%s: has patterns, but no weights; 'isinglass map' makes a model of them, for "
                "--init M.npz",
                file);
}

exit_code start_load(isg_rbm **out, const start_settings *settings) {
    init from;
    (void)parse_init(settings->init, &from);
    return from.is_start ? EXIT_DONE : load_model(out, settings->init);
}

exit_code start_make(isg_rbm **out, const invocation *call, start_settings *settings,
                     const isg_dataset *data, const char *name) {
    init from;
    (void)parse_init(settings->init, &from);
    isg_rbm *rbm = NULL;
    const exit_code code = from.is_start ? from_data(&rbm, call, settings, &from, data, name)
                                         : from_file(&rbm, call, settings, data, name);
    if (code != EXIT_DONE)
        return code;
    settings->how.n_hidden = isg_rbm_describe(rbm).n_hidden;
    settings->how.beta = isg_rbm_describe(rbm).beta;
    *out = rbm;
    return EXIT_DONE;
}
