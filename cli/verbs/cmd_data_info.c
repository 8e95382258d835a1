/* cmd_data_info.c - isinglass data info: what is in a data set
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/data_input.h"
#include "cli/pictures.h"

enum { SHOWN_PER_CLASS = 10 };

typedef struct data_info_settings {
    data_settings data;
    const char *picture;
} data_info_settings;

static void defaults(void *settings) {
    *(data_info_settings *)settings = (data_info_settings){.data = data_defaults()};
}

typedef struct findings {
    isg_dataset_info info;
    double positive_fraction;
    size_t duplicates;
    char checksum[65];
} findings;

static json_t *classes_json(const isg_dataset *data) {
    json_t *classes = json_array();
    const size_t n = isg_dataset_describe(data).n_classes;
    for (size_t c = 0; classes && c < n; c++) {
        json_t *one = json_pack("{s:o, s:I}", "name", json_text(isg_dataset_class_name(data, c)),
                                "count", (json_int_t)isg_dataset_class_size(data, c));
        if (!one || json_array_append_new(classes, one) != 0) {
            json_decref(classes);
            return NULL;
        }
    }
    return classes;
}

static json_t *as_json(const isg_dataset *data, const findings *found, const char *sheet) {
    const isg_dataset_info *info = &found->info;
    json_t *image = info->image_height
                        ? json_pack("{s:I, s:I}", "height", (json_int_t)info->image_height, "width",
                                    (json_int_t)info->image_width)
                        : json_null();
    return json_pack("{s:I, s:I, s:o, s:f, s:I, s:o, s:f, s:f, s:f, s:f, s:s, s:o}", //
                     "samples", (json_int_t)info->n_samples,                         //
                     "n_visible", (json_int_t)info->n_visible,                       //
                     "classes", classes_json(data),                                  //
                     "positive_fraction", found->positive_fraction,                  //
                     "duplicate_rows", (json_int_t)found->duplicates,                //
                     "image", image,                                                 //
                     "smallest", info->smallest,                                     //
                     "largest", info->largest,                                       //
                     "full_scale", info->full_scale,                                 //
                     "threshold", info->threshold,                                   //
                     "bits_sha256", found->checksum,                                 //
                     "sheet", sheet ? json_text(sheet) : json_null());
}

static void as_text(output *out, const char *name, const isg_dataset *data, const findings *found,
                    const char *sheet) {
    const isg_dataset_info *info = &found->info;
    const double cut = info->threshold * info->full_scale;
    output_field(out, "data", "%s", name);
    output_field(out, "samples", "%zu", info->n_samples);
    if (info->image_height)
        output_field(out, "units", "%zu (images of %zu x %zu)", info->n_visible, info->image_height,
                     info->image_width);
    else
        output_field(out, "units", "%zu", info->n_visible);
    output_field(out, "values", "%g to %g%s", info->smallest, info->largest,
                 info->full_scale > 1 ? ", 8-bit grey levels" : "");
    if (info->full_scale > 1)
        output_field(out, "+1 where", "value > %g (%g of full scale %g)", cut, info->threshold,
                     info->full_scale);
    else
        output_field(out, "+1 where", "value > %g", cut);
    output_field(out, "share of +1", "%.6f", found->positive_fraction);
    output_field(out, "duplicates", "%zu (rows equal to an earlier one)", found->duplicates);
    output_field(out, "SHA-256", "%s (of the spins)", found->checksum);
    if (info->n_classes == 0)
        output_field(out, "classes", "none: the data have no labels");
    else
        output_field(out, "classes", "%zu", info->n_classes);
    for (size_t c = 0; c < info->n_classes; c++)
        output_line(out, "  %-20s %10zu", isg_dataset_class_name(data, c),
                    isg_dataset_class_size(data, c));
    if (sheet)
        output_field(out, "picture", "%s", sheet);
}

static exit_code run(const invocation *call) {
    const data_info_settings *settings = call->settings;
    const char *name = call->arguments[0];
    isg_dataset *data = NULL;
    findings found;
    exit_code code =
        settings->picture ? may_write_picture(&call->common, settings->picture) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = data_load(&data, call, name, &settings->data);
    if (code != EXIT_DONE)
        return code;
    found.info = isg_dataset_describe(data);
    found.positive_fraction = isg_dataset_positive_fraction(data);
    isg_dataset_checksum(data, found.checksum);
    code = fail_status(isg_dataset_count_duplicates(data, &found.duplicates));
    if (code == EXIT_DONE && settings->picture)
        code = check_image(name, found.info.n_visible, found.info.image_height,
                           found.info.image_width, SHAPE_ADVICE);
    if (code == EXIT_DONE && settings->picture)
        code = draw_classes(settings->picture, data, SHOWN_PER_CLASS);
    if (code == EXIT_DONE && call->common.json)
        output_json(call->out, as_json(data, &found, settings->picture));
    else if (code == EXIT_DONE)
        as_text(call->out, name, data, &found, settings->picture);
    isg_dataset_free(data);
    return code;
}

/* clang-format off */
static const argument_entry arguments[] = {
    {.name = "DATA", .help = DATA_HELP, .choices = data_names, .is_open = true, .is_file = true},
    {.name = NULL},
};

static const option_entry options[] = {
    DATA_OPTIONS(data_info_settings, data),
    {.name = "picture", .alias = "sheet", .kind = OPTION_FILE, .metavar = "FILE.png|.svg",
     .offset = offsetof(data_info_settings, picture), .otherwise = "no picture",
     .help = "Also write a picture of the first ten samples of every class"},
    {.name = NULL},
};

static const json_key json_keys[] = {
    {"samples", "number of samples"},
    {"n_visible", "number of spins in a sample"},
    {"classes[].name", "the label"},
    {"classes[].count", "samples that have it"},
    {"positive_fraction", "share of +1 among all spins"},
    {"duplicate_rows", "samples equal to an earlier one"},
    {"image", "height and width, or null if the samples are no images"},
    {"smallest", "smallest value in the file"},
    {"largest", "largest value in the file"},
    {"full_scale", "255 for 8-bit grey levels, else 1"},
    {"threshold", "fraction of full scale above which a value is +1"},
    {"bits_sha256", "SHA-256 of the spins packed row by row, first unit = highest bit"},
    {"sheet", "the picture, or null"},
    {NULL, NULL},
};

static const example examples[] = {
    {"isinglass data info mnist:train", "Describe the 60000 training images."},
    {"isinglass data info mnist:test --class 7 --picture sevens.png", "Look at some sevens."},
    {"isinglass data info votes.csv --label-column party", "Describe a table with labels."},
    {"isinglass data info digits.npy --labels digits-labels.npy --json", "Give a script the facts."},
    {NULL, NULL},
};
/* clang-format on */

const command command_data_info = {
    .group = "data",
    .name = "info",
    .section = "Data",
    .summary = "Describe a data set: shape, classes, share of +1, duplicates",
    .description =
        "Reads a data set as every other verb does, value by value into spins of +1 and -1, and "
        "says what it found.\n"
        "Values are taken for 8-bit grey levels, with full scale 255, if they lie in 0 to 255 and "
        "either the file holds images (three dimensions, or --shape) and some value exceeds 2, or "
        "all values are whole and the largest is 255 itself. Missing values, NaN and infinity "
        "are refused with their place.",
    .arguments = arguments,
    .options = options,
    .json_keys = json_keys,
    .examples = examples,
    .settings_bytes = sizeof(data_info_settings),
    .defaults = defaults,
    .run = run,
};
