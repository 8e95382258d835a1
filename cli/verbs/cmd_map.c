/* cmd_map.c - isinglass map: from a Hopfield network to the RBM that is the same
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "cli/command.h"
#include "cli/pictures.h"

typedef struct map_settings {
    const char *out, *picture;
    isg_mapping_options how;
} map_settings;

static void defaults(void *settings) {
    *(map_settings *)settings = (map_settings){.how = isg_mapping_defaults()};
}

static const char *const via_choices[] = {"qr", "svd", "sqrt", "hebbian", NULL};

typedef struct map_result {
    const char *file, *picture;
    size_t n_visible, n_patterns;
    double beta;
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

static exit_code run(const invocation *call) {
    const map_settings *settings = call->settings;
    const char *file = call->arguments[0];
    isg_patterns *patterns = NULL;
    isg_rbm *rbm = NULL;
    map_result my = {
        .file = settings->out, .picture = settings->picture, .beta = settings->how.beta};
    exit_code code = may_write(&call->common, settings->out, ".npz");
    if (code == EXIT_DONE && settings->picture)
        code = may_write_picture(&call->common, settings->picture);
    if (code == EXIT_DONE)
        code = fail_status(isg_patterns_load(&patterns, file));
    if (code == EXIT_DONE && settings->picture) {
        const isg_patterns_info info = isg_patterns_describe(patterns);
        code = check_picture(file, info.n_visible, info.image_height, info.image_width);
    }
    if (code == EXIT_DONE)
        code = map(&rbm, patterns, settings, &my.found, file);
    if (code == EXIT_DONE && settings->picture)
        code = draw_weights(settings->picture, rbm);
    if (code == EXIT_DONE)
        code = fail_status(isg_rbm_save(rbm, settings->out, call->common.seed, call->command_line));
    if (code == EXIT_DONE) {
        const isg_patterns_info info = isg_patterns_describe(patterns);
        my.n_visible = info.n_visible;
        my.n_patterns = info.n_patterns;
        result_show(call, &my);
    }
    isg_rbm_free(rbm);
    isg_patterns_free(patterns);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "P.npz", .help = "Patterns written by 'isinglass patterns', or any .npz with xi "
                              "(units x patterns) of +1 and -1, or 1 and 0; or xi alone as .npy", .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    {.name = "output", .letter = 'o', .kind = OPTION_FILE, .metavar = "M.npz", .is_required = true,
     .offset = offsetof(map_settings, out), .help = "Write the RBM to this file"},
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
    {.name = NULL},
};

#define IS(field, what) RESULT(map_result, field, what)
#define FOUND(field, what) RESULT_AS(map_result, found.field, #field, what)

static const result_entry results[] = {
    IS(file, "the file written"),
    RESULT_ENUM(map_result, found.via, "via", via_choices, "qr, svd, sqrt or hebbian"),
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
    {.label = "patterns", .text = "{n_patterns} of {n_visible unit}, rank {rank}"},
    {.label = "via", .text = "{via}"},
    {.label = "hidden units", .text = "{n_hidden}"},
    {.label = "beta", .text = "{beta}"},
    {.label = "|W'W - 1|", .text = "{orthogonality_error:.1e}"},
    {.label = "|WR - xi|", .text = "{reconstruction_error:.1e}"},
    {.label = "|J^2 - J|", .text = "{projector_error:.1e} (J = WW')"},
    {.label = "|J xi - xi|", .text = "{fixed_point_error:.1e}"},
    {.label = "trace of J", .text = "{trace:.12g}"},
    {.when = "picture", .label = "picture", .text = "{picture}"},
    {.label = "file", .text = "{file}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass map digits.npz -o model.npz",
     "The RBM that equals the Hopfield network of the digits."},
    {"isinglass map digits.npz -o model.npz --via svd --beta 1",
     "The same network with other weights and at a higher temperature."},
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
