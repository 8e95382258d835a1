/* starts.c - --init on the command line: the RBM from which training starts
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/starts.h"

#include <string.h>

#include "cli/progress.h"
#include "cli/suggest.h"
#include "cli/value.h"

typedef enum start_kind {
    START_HOPFIELD,
    START_HEBBIAN,
    START_PCA,
    START_NORMAL,
    START_FILE
} start_kind;

const char *const start_names[] = {"hopfield", "hebbian", "pca", "normal", NULL};

start_settings start_defaults(void) {
    return (start_settings){.init = start_names[START_HOPFIELD],
                            .deviation = isg_expert_defaults().deviation,
                            .patterns = isg_pattern_defaults(),
                            .mapping = isg_mapping_defaults()};
}

static bool find_kind(const char *init, start_kind *out) {
    size_t index = 0;
    const size_t length = strlen(init);
    const bool is_name = find_choice(start_names, init, &index);
    *out = is_name ? (start_kind)index : START_FILE;
    return is_name || (length > 4 && strcmp(init + length - 4, ".npz") == 0);
}

exit_code start_check(const invocation *call, const start_settings *settings) {
    start_kind kind;
    suggestion nearest = {.typed = settings->init};
    if (!find_kind(settings->init, &kind)) {
        char words[WORDS_BYTES];
        for (size_t k = 0; start_names[k]; k++)
            suggest(&nearest, start_names[k], start_names[k]);
        return fail(EXIT_MISUSED, "--init: expected %s, or a model M.npz, found '%.60s'%s%s%s",
                    list_choices(start_names, words), settings->init,
                    nearest.best[0] ? "; did you mean '" : "", nearest.best,
                    nearest.best[0] ? "'?" : "");
    }
    if (kind == START_FILE && call_has_option(call, "per-class"))
        return fail(EXIT_MISUSED, "--per-class: has no meaning with --init %s, a model",
                    settings->init);
    if (kind != START_NORMAL && call_has_option(call, "sd"))
        return fail(EXIT_MISUSED, "--sd: has a meaning with --init normal only");
    return EXIT_DONE;
}

/* ---- from patterns ---------------------------------------------------------------------------- */

static exit_code check_hidden(const invocation *call, const start_settings *settings,
                              size_t n_hidden, const char *what) {
    return !call_has_option(call, "hidden") || settings->hidden == n_hidden
               ? EXIT_DONE
               : fail(EXIT_MISUSED, "--hidden %zu, but %zu %s", settings->hidden, n_hidden, what);
}

static exit_code make_patterns(isg_patterns **out, const invocation *call,
                               const start_settings *settings, const isg_dataset *data,
                               const char *name) {
    progress bar;
    isg_pattern_options options = settings->patterns;
    progress_start(&bar, call->common.quiet, "clustering");
    options.progress = progress_callback(&bar);
    const isg_status status = isg_patterns_from_data(out, data, &options);
    progress_finish(&bar);
    return status == ISG_ERR_ARGUMENT
               ? fail(EXIT_BAD_INPUT, "%s: %s%s", name, isg_error_message(),
                      settings->patterns.per_class > 1 ? "; choose a smaller --per-class" : "")
               : fail_status(status);
}

static exit_code from_patterns(isg_rbm **out, const invocation *call,
                               const start_settings *settings, const isg_dataset *data,
                               const char *name) {
    const bool is_hebbian = strcmp(settings->init, start_names[START_HEBBIAN]) == 0;
    const size_t n_visible = isg_dataset_describe(data).n_visible;
    isg_patterns *patterns = NULL;
    isg_mapping_options options = settings->mapping;
    if (!is_hebbian && settings->hidden > n_visible)
        return fail(EXIT_MISUSED,
                    "--init hopfield: %zu patterns of %zu units cannot be independent; choose a "
                    "smaller --per-class, or --init hebbian",
                    settings->hidden, n_visible);
    if (isg_dataset_describe(data).n_classes == 0)
        notice(call->common.quiet, "%s: has no labels, so that all samples make one class", name);
    exit_code code = make_patterns(&patterns, call, settings, data, name);
    if (code == EXIT_DONE) {
        options.via = is_hebbian ? ISG_VIA_HEBBIAN : ISG_VIA_QR;
        const isg_status status = isg_rbm_from_patterns(out, patterns, &options, NULL);
        code = status == ISG_ERR_DEPENDENT
                   ? fail(EXIT_BAD_INPUT, "%s: %s; --init hebbian takes such patterns too", name,
                          isg_error_message())
                   : fail_status(status);
    }
    isg_patterns_free(patterns);
    return code;
}

/* ---- from a file ------------------------------------------------------------------------------ */

static exit_code from_file(isg_rbm **out, const invocation *call, const start_settings *settings,
                           const isg_dataset *data, const char *name) {
    isg_rbm *rbm = NULL;
    exit_code code = fail_status(isg_rbm_load(&rbm, settings->init));
    if (code != EXIT_DONE)
        return code;
    const isg_rbm_info info = isg_rbm_describe(rbm);
    const size_t n_visible = isg_dataset_describe(data).n_visible;
    if (info.n_visible != n_visible)
        code = fail(EXIT_BAD_INPUT, "%s: has %zu visible units, but %s has %zu", settings->init,
                    info.n_visible, name, n_visible);
    if (code == EXIT_DONE)
        code = check_hidden(call, settings, info.n_hidden, "in the model");
    if (code == EXIT_DONE && call_has_option(call, "beta"))
        code = fail_status(isg_rbm_set_beta(rbm, settings->mapping.beta));
    if (code == EXIT_DONE)
        *out = rbm;
    else
        isg_rbm_free(rbm);
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

exit_code start_make(isg_rbm **out, const invocation *call, start_settings *settings,
                     const isg_dataset *data, const char *name) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const size_t n_classes = info.n_classes > 0 ? info.n_classes : 1;
    start_kind kind = START_FILE;
    isg_rbm *rbm = NULL;
    exit_code code = EXIT_DONE;
    (void)find_kind(settings->init, &kind);
    const bool has_patterns = kind == START_HOPFIELD || kind == START_HEBBIAN;
    if (kind != START_FILE) {
        if (settings->patterns.per_class > SIZE_MAX / n_classes)
            return fail_memory();
        const size_t usual = n_classes * settings->patterns.per_class;
        if (has_patterns)
            code = check_hidden(call, settings, usual, "patterns (classes x --per-class)");
        if (!call_has_option(call, "hidden"))
            settings->hidden = usual;
    }
    if (code != EXIT_DONE)
        return code;
    if (has_patterns)
        code = from_patterns(&rbm, call, settings, data, name);
    else if (kind == START_PCA)
        code = fail_status(isg_rbm_start_pca(&rbm, data, settings->hidden, settings->mapping.beta));
    else if (kind == START_NORMAL)
        code = fail_status(isg_rbm_start_normal(&rbm, info.n_visible, settings->hidden,
                                                settings->mapping.beta, settings->deviation,
                                                call->common.seed));
    else
        code = from_file(&rbm, call, settings, data, name);
    if (code == EXIT_DONE && info.image_height)
        code = fail_status(isg_rbm_set_image(rbm, info.image_height, info.image_width));
    if (code != EXIT_DONE) {
        isg_rbm_free(rbm);
        return code;
    }
    settings->hidden = isg_rbm_describe(rbm).n_hidden;
    settings->mapping.beta = isg_rbm_describe(rbm).beta;
    *out = rbm;
    return EXIT_DONE;
}
