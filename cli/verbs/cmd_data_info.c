/* cmd_data_info.c - isinglass data info: what is in a data set
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/allocation.h"
#include "cli/catalog.h"
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

typedef struct image_size {
    size_t height, width;
} image_size;

typedef struct class_count {
    const char *name;
    size_t count;
} class_count;

/* Where a data set of the catalog comes from. */
typedef struct origin {
    const char *what, *values, *labels, *license, *reference;
    char *source;
} origin;

typedef struct data_info_result {
    const char *data, *sheet;
    const origin *set; /* NULL for other data */
    isg_dataset_info info;
    double positive_fraction, cut;
    size_t duplicate_rows;
    image_size size;
    const image_size *image; /* NULL if the samples are not images */
    bool is_grey;
    char checksum[65];
    result_list classes;
} data_info_result;

static exit_code look(data_info_result *my, const isg_dataset *data, class_count **classes) {
    const isg_dataset_info info = my->info = isg_dataset_describe(data);
    my->positive_fraction = isg_dataset_positive_fraction(data);
    my->cut = info.threshold * info.full_scale;
    my->is_grey = info.full_scale > 1;
    my->size = (image_size){info.image_height, info.image_width};
    my->image = info.image_height ? &my->size : NULL;
    isg_dataset_checksum(data, my->checksum);
    *classes = memory_allocate(info.n_classes, sizeof **classes);
    if (!*classes)
        return fail_memory();
    for (size_t c = 0; c < info.n_classes; c++)
        (*classes)[c] =
            (class_count){isg_dataset_class_name(data, c), isg_dataset_class_size(data, c)};
    my->classes = (result_list){*classes, info.n_classes, sizeof **classes};
    return fail_status(isg_dataset_count_duplicates(data, &my->duplicate_rows));
}

static exit_code look_up(data_info_result *my, origin *from) {
    const catalog_entry *entry = catalog_of_data(my->data);
    if (!entry)
        return EXIT_DONE;
    *from = (origin){entry->what,    entry->values,    entry->labels,
                     entry->license, entry->reference, catalog_package(entry)};
    my->set = from;
    return from->source ? EXIT_DONE : fail_memory();
}

static exit_code run(const invocation *call) {
    const data_info_settings *settings = call->settings;
    const char *name = call->arguments[0];
    origin from = {0};
    isg_dataset *data = NULL;
    class_count *classes = NULL;
    data_info_result my = {.data = name, .sheet = settings->picture};
    exit_code code =
        settings->picture ? may_write_picture(&call->common, settings->picture) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = data_load(&data, call, name, &settings->data, NULL);
    if (code != EXIT_DONE)
        return code;
    code = look(&my, data, &classes);
    if (code == EXIT_DONE)
        code = look_up(&my, &from);
    if (code == EXIT_DONE && settings->picture)
        code = check_image(name, my.info.n_visible, my.info.image_height, my.info.image_width,
                           SHAPE_ADVICE);
    if (code == EXIT_DONE && settings->picture)
        code = draw_classes(settings->picture, data, SHOWN_PER_CLASS);
    if (code == EXIT_DONE)
        result_show(call, &my);
    memory_release(from.source);
    memory_release(classes);
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
     .help = "Also draw the first ten samples of every class"},
    {.name = NULL},
};

#define IS(field, what)   RESULT(data_info_result, field, what)
#define INFO(field, what) RESULT_AS(data_info_result, info.field, #field, what)

static const result_entry image_results[] = {
    RESULT(image_size, height, NULL), RESULT(image_size, width, NULL), {.key = NULL}};

static const result_entry class_results[] = {
    RESULT(class_count, name, "its label"),
    RESULT(class_count, count, "number of samples with this label"),
    {.key = NULL}};

static const result_entry origin_results[] = {
    RESULT(origin, what, "what the samples are"),
    RESULT(origin, values, "what a value is"),
    RESULT(origin, labels, "what a class is"),
    RESULT(origin, source, "the package and the version that was verified"),
    RESULT(origin, license, "what the package says about it"),
    RESULT(origin, reference, "the publication to cite"),
    {.key = NULL}};

static const result_entry results[] = {
    RESULT_AS(data_info_result, info.n_samples, "samples", "number of samples"),
    INFO(n_visible, "number of spins in a sample"),
    RESULT_LIST_OF(data_info_result, classes, class_results, NULL),
    IS(positive_fraction, "share of +1 among all spins"),
    IS(duplicate_rows, "number of samples equal to an earlier one"),
    RESULT_POINTER(data_info_result, image, image_results, "size of the samples, or null if they are not images"),
    INFO(smallest, "smallest value in the file"),
    INFO(largest, "largest value in the file"),
    INFO(full_scale, "255 for 8-bit grey levels, else 1"),
    INFO(threshold, "fraction of full scale above which a value is +1"),
    RESULT_CHAR_ARRAY(data_info_result, checksum, "bits_sha256",
                      "SHA-256 of the spins packed row by row, first unit = highest bit"),
    RESULT_POINTER(data_info_result, set, origin_results, "of a set of 'isinglass data list'; null for other data"),
    IS(sheet, "the picture, or null"),
    RESULT_HIDDEN(data_info_result, data), RESULT_HIDDEN(data_info_result, cut),
    RESULT_HIDDEN(data_info_result, is_grey),
    {.label = "data", .text = "{data}"},
    {.when = "set", .label = "what", .text = "{set.what}"},
    {.when = "set", .label = "source", .text = "{set.source}; license: {set.license}"},
    {.when = "set", .label = "reference", .text = "{set.reference}"},
    {.label = "samples", .text = "{samples}"},
    {.when = "image", .label = "units", .text = "{n_visible} (images of {image.height} x {image.width})"},
    {.when = "!image", .label = "units", .text = "{n_visible}"},
    {.when = "is_grey", .label = "values", .text = "{smallest} to {largest}, 8-bit grey levels"},
    {.when = "!is_grey", .label = "values", .text = "{smallest} to {largest}"},
    {.when = "is_grey", .label = "+1 where", .text = "value > {cut} ({threshold} of full scale {full_scale})"},
    {.when = "!is_grey", .label = "+1 where", .text = "value > {cut}"},
    {.label = "share of +1", .text = "{positive_fraction:.6f}"},
    {.label = "duplicates", .text = "{duplicate_rows} (rows equal to an earlier one)"},
    {.label = "SHA-256", .text = "{bits_sha256} (of the spins)"},
    {.when = "!classes", .label = "classes", .text = "none: the data have no labels"},
    {.when = "classes", .label = "classes", .text = "{classes}"},
    {.each = "classes", .text = "  {name:-20} {count:10}"},
    {.when = "sheet", .label = "picture", .text = "{sheet}"},
    {.key = NULL}};

static const example examples[] = {
    {"isinglass data info mnist:train", "Describe the 60000 training images."},
    {"isinglass data info mnist:test --class 7 --picture sevens.png", "Look at some sevens."},
    {"isinglass data info votes.csv --label-column party", "Describe a table with labels."},
    {"isinglass data info digits.npy --labels digits-labels.npy --json",
     "Print the same as JSON, for a script."},
    {NULL, NULL},
};
/* clang-format on */

const command command_data_info = {
    .group = "data",
    .name = "info",
    .section = "Data",
    .summary = "Describe a data set: size, classes, share of +1, duplicates",
    .description =
        "Reads a data set as every other verb does, turns each value into a spin of +1 or -1, "
        "and describes the result.\n"
        "Values count as 8-bit grey levels, with full scale 255, if they lie in 0 to 255 and "
        "either the file holds images (three dimensions, or --shape) and some value exceeds 2, "
        "or all values are whole and the largest is exactly 255. Missing values, NaN and "
        "infinity are errors, reported with their position.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(data_info_settings),
    .defaults = defaults,
    .run = run,
};
