/* cmd_map.c - isinglass map: from a Hopfield network to the RBM that is the same
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "cli/data_input.h"
#include "cli/pictures.h"

/* What W is made from: the patterns of a file, or axes of data. */
typedef enum origin { FROM_PATTERNS, FROM_AXES, FROM_PCA } origin;

typedef struct map_settings {
    const char *out, *picture;
    isg_mapping_options how;
    origin from;
    size_t n_hidden; /* of axes */
    data_settings data;
} map_settings;

static void defaults(void *settings) {
    *(map_settings *)settings =
        (map_settings){.how = isg_mapping_defaults(), .data = data_defaults()};
}

static const char *const origin_choices[] = {"patterns", "axes", "pca", NULL}; /* origin */

static const char *const via_choices[] = {"qr", "svd", "sqrt", "hebbian", NULL};

typedef struct map_result {
    const char *file, *picture, *via;
    size_t n_visible, n_patterns;
    double beta;
    origin from;
    bool has_patterns;
    isg_mapping_report found;
} map_result;

static exit_code map(isg_rbm **rbm, const isg_patterns *patterns, const map_settings *settings,
                     isg_mapping_report *found, const char *file) {
    const isg_status status = isg_rbm_from_patterns(rbm, patterns, &settings->how, found);
    if (status == ISG_ERR_DEPENDENT)
        return fail(EXIT_BAD_INPUT, "%s: %s; use --allow-rank-deficient to map them at that rank",
                    file, isg_error_message());
    return fail_status(status);
}

static exit_code map_patterns(isg_rbm **rbm, const invocation *call, map_result *my) {
    const map_settings *settings = call->settings;
    const char *file = call->arguments[0];
    isg_patterns *patterns = NULL;
    exit_code code = fail_status(isg_patterns_load(&patterns, file));
    if (code == EXIT_DONE) {
        const isg_patterns_info info = isg_patterns_describe(patterns);
        my->n_visible = info.n_visible;
        my->n_patterns = info.n_patterns;
        if (settings->picture)
            code = check_picture(file, info.n_visible, info.image_height, info.image_width);
    }
    if (code == EXIT_DONE)
        code = map(rbm, patterns, settings, &my->found, file);
    my->via = via_choices[my->found.via];
    isg_patterns_free(patterns);
    return code;
}

/* tr(W W^T) */
static double squared_norm(isg_rbm *rbm) {
    const isg_matd w = isg_rbm_weights(rbm);
    double sum = 0;
    for (size_t i = 0; i < w.rows; i++)
        for (size_t mu = 0; mu < w.cols; mu++)
            sum += w.data[i * w.stride + mu] * w.data[i * w.stride + mu];
    return sum;
}

/* Axes have no patterns, so that only their own shape can be reported on. */
static exit_code map_axes(isg_rbm **rbm, const invocation *call, map_result *my) {
    const map_settings *settings = call->settings;
    const char *name = call->arguments[0];
    isg_dataset *data = NULL;
    isg_integrated found = {0};
    exit_code code = data_refuse_impute(&settings->data);
    if (code == EXIT_DONE)
        code = data_load(&data, call, name, &settings->data, NULL);
    if (code == EXIT_DONE) {
        const isg_dataset_info info = isg_dataset_describe(data);
        isg_start_options how = isg_start_defaults();
        how.kind = settings->from == FROM_AXES ? ISG_START_AXES : ISG_START_PCA;
        how.n_hidden = settings->n_hidden;
        how.beta = settings->how.beta;
        my->n_visible = info.n_visible;
        if (settings->picture)
            code = check_picture(name, info.n_visible, info.image_height, info.image_width);
        if (code == EXIT_DONE) {
            const isg_status status = isg_rbm_start(rbm, &how, NULL, data, NULL);
            code = status == ISG_ERR_ARGUMENT
                       ? fail(EXIT_BAD_INPUT, "%s: %s; choose a smaller --hidden", name,
                              isg_error_message())
                       : fail_status(status);
        }
    }
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_integrate(*rbm, &found, NULL, NULL));
    const double unknown = (double)NAN;
    if (code == EXIT_DONE)
        my->found = (isg_mapping_report){.n_hidden = found.n_hidden,
                                         .rank = found.rank,
                                         .orthogonality_error = found.orthogonality_error,
                                         .reconstruction_error = unknown,
                                         .projector_error = unknown,
                                         .fixed_point_error = unknown,
                                         .trace = squared_norm(*rbm)};
    isg_dataset_free(data);
    return code;
}

/* Options that only one origin of W knows. */
static exit_code check_origin(const invocation *call) {
    const map_settings *settings = call->settings;
    const char *name = origin_choices[settings->from];
    if (settings->from != FROM_PATTERNS && call_has_option(call, "via"))
        return fail(EXIT_MISUSED,
                    "--via: cannot be used with --init %s, whose weights are the axes", name);
    if (settings->from != FROM_PATTERNS && call_has_option(call, "allow-rank-deficient"))
        return fail(EXIT_MISUSED, "--allow-rank-deficient: cannot be used with --init %s", name);
    if (settings->from == FROM_PATTERNS && call_has_option(call, "hidden"))
        return fail(EXIT_MISUSED,
                    "--hidden: needs --init axes or pca; patterns are one hidden unit each");
    return settings->from == FROM_PATTERNS ? data_refuse_options(call, "--init axes or pca")
                                           : EXIT_DONE;
}

static exit_code run(const invocation *call) {
    const map_settings *settings = call->settings;
    isg_rbm *rbm = NULL;
    map_result my = {.file = settings->out,
                     .picture = settings->picture,
                     .beta = settings->how.beta,
                     .from = settings->from,
                     .has_patterns = settings->from == FROM_PATTERNS};
    exit_code code = check_origin(call);
    if (code == EXIT_DONE)
        code = may_write(&call->common, settings->out, ".npz");
    if (code == EXIT_DONE && settings->picture)
        code = may_write_picture(&call->common, settings->picture);
    if (code == EXIT_DONE)
        code = (my.has_patterns ? map_patterns : map_axes)(&rbm, call, &my);
    if (code == EXIT_DONE && settings->picture)
        code = draw_weights(settings->picture, rbm);
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_save(rbm, settings->out, call->common.seed, call->command_line));
    if (code == EXIT_DONE)
        result_show(call, &my);
    isg_rbm_free(rbm);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "P.npz|DATA", .help = "Patterns written by 'isinglass patterns', or any .npz with xi "
                                   "(units x patterns) of +1 and -1, or 1 and 0; or xi alone as .npy; "
                                   "with --init axes or pca, data", .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "M.npz", .is_required = true,
     .offset = offsetof(map_settings, out), .help = "Write the RBM to this file"},
    {.name = "init", .kind = OPTION_CHOICE, .metavar = "WHAT", .choices = origin_choices,
     .offset = offsetof(map_settings, from),
     .help = "What W is made from: patterns of a file, or the leading axes of data: of their second "
             "moments <ss'> (axes, of all orthonormal weights those that capture most of the data), or of "
             "their covariance (pca)"},
    {.name = "hidden", .kind = OPTION_SIZE, .metavar = "P", .low = 1, .high = HUGE_VAL,
     .offset = offsetof(map_settings, n_hidden), .otherwise = "one for each class",
     .help = "How many axes"},
    {.name = "via", .kind = OPTION_CHOICE, .metavar = "HOW", .choices = via_choices,
     .offset = offsetof(map_settings, how.via),
     .help = "W is, in this order, Q of xi = QR, U of xi = USV', xi (xi'xi)^-1/2 or xi / sqrt(N)"},
    {.name = "beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30,
     .high = 1e30, .offset = offsetof(map_settings, how.beta),
     .help = "Inverse temperature"},
    {.name = "allow-rank-deficient", .kind = OPTION_FLAG,
     .offset = offsetof(map_settings, how.allow_rank_deficient),
     .help = "Also map linearly dependent patterns, with one hidden unit per independent pattern"},
    {.name = "picture", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(map_settings, picture), .otherwise = "no picture",
     .help = "Also draw the patterns above the columns of W: red positive, blue negative, white "
             "zero; if they are not images, the units of W that vary most, with names (with gnuplot)"},
    DATA_OPTIONS(map_settings, data),
    {.name = NULL},
};

#define IS(field, what) RESULT(map_result, field, what)
#define FOUND(field, what) RESULT_AS(map_result, found.field, #field, what)

static const result_entry results[] = {
    IS(file, "the file written"),
    RESULT_ENUM(map_result, from, "init", origin_choices, "patterns, axes or pca"),
    IS(via, "qr, svd, sqrt or hebbian; null for axes and pca"),
    IS(n_visible, "number of visible units"),
    IS(n_patterns, "number of patterns"),
    FOUND(rank, "number of linearly independent patterns"),
    FOUND(n_hidden, "number of hidden units"),
    IS(beta, "inverse temperature"),
    FOUND(orthogonality_error, "largest absolute entry of W'W - 1"),
    FOUND(reconstruction_error, "largest entry of WR - xi"),
    FOUND(projector_error, "largest entry of J^2 - J, with J = WW'"),
    FOUND(fixed_point_error, "largest entry of J xi - xi"),
    FOUND(trace, "trace of J"),
    IS(picture, "the picture, or null"),
    RESULT_HIDDEN(map_result, has_patterns),
    {.when = "has_patterns", .label = "patterns", .text = "{n_patterns} of {n_visible unit}, rank {rank}"},
    {.when = "has_patterns", .label = "via", .text = "{via}"},
    {.when = "!has_patterns", .label = "init", .text = "{init} of data of {n_visible unit}"},
    {.label = "hidden units", .text = "{n_hidden}"},
    {.label = "beta", .text = "{beta}"},
    {.label = "|W'W - 1|", .text = "{orthogonality_error:.1e}"},
    {.when = "has_patterns", .label = "|WR - xi|", .text = "{reconstruction_error:.1e}"},
    {.when = "has_patterns", .label = "|J^2 - J|", .text = "{projector_error:.1e} (J = WW')"},
    {.when = "has_patterns", .label = "|J xi - xi|", .text = "{fixed_point_error:.1e}"},
    {.label = "trace of J", .text = "{trace:.12g}"},
    {.when = "picture", .label = "picture", .text = "{picture}"},
    {.label = "file", .text = "{file}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass map digits.npz -o model.npz",
     "The RBM that equals the Hopfield network of the digits."},
    {"isinglass map digits.npz -o model.npz --via svd --beta 1",
     "The same network with other weights and at a higher temperature."},
    {"isinglass map mnist:train --init axes --hidden 10 -o axes.npz",
     "The orthonormal weights that capture most of the data, without training."},
    {"isinglass map digits.npz -o model.npz --picture weights.png",
     "Look at the weights, as in Fig. 3a of the paper."},
    {NULL, NULL},
};
/* clang-format on */

const command command_map = {
    .name = "map",
    .section = "Networks",
    .summary = "Map a Hopfield network to an RBM with the same distribution",
    .description =
        "The projection rule J = xi (xi'xi)^-1 xi' of the patterns xi equals WW' for weights W "
        "with orthonormal columns. An RBM with Gaussian hidden units and these weights has "
        "exactly the same distribution over the spins as the Hopfield network. qr, svd and "
        "sqrt are three such W for the same J. hebbian uses the Hebbian rule J = xi xi' / N, a "
        "different network unless the patterns are orthogonal, so its errors are not small.\n"
        "Linearly dependent patterns are refused, and the message names the combination; "
        "--allow-rank-deficient maps them at their rank. The Hebbian rule accepts any "
        "patterns.\n"
        "With --init axes, W has the leading eigenvectors of the data's second moments, from which "
        "no means are removed. Of all W with orthonormal columns it captures most of the data, "
        "where capture is the mean share of a sample in the span of W and L = beta/2 N capture - "
        "ln Z. It stores no binary patterns, and its ln Z is not that of a network that does. "
        "Others may be likelier: see 'isinglass train --constraint stiefel'.\n"
        "M.npz contains W (visible x hidden units), b, c, beta, the patterns xi with their "
        "labels, R with WR = xi, and meta.json; open it with numpy.load.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(map_settings),
    .defaults = defaults,
    .run = run,
};
