/* cmd_data_info.c - isinglass data info: what is in a data set
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>

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
    char binarization[ISG_BINARIZE_ROOM];
    char unit_names[160], sample_ids[160]; /* the first few; empty if there are none */
    const char **constant;                 /* names or numbers of constant units */
    char *numbers;
    result_list constant_units;
    bool has_units, has_ids, has_constant, is_per_unit;
    size_t duplicate_rows;
    image_size size;
    const image_size *image; /* NULL if the samples are not images */
    bool is_grey;
    char checksum[65];
    result_list classes;
} data_info_result;

/* "CD3D, NKG7, LYZ, ..." */
static void list_names(char out[160], const char *(*name_at)(const void *of, size_t k),
                       const void *of, size_t count) {
    enum { SHOWN = 5 };
    size_t used = 0;
    out[0] = '\0';
    for (size_t k = 0; k < count && k < SHOWN && name_at(of, k); k++) {
        const int n = snprintf(out + used, 160 - used, "%s%.24s", k ? ", " : "", name_at(of, k));
        used += n > 0 ? (size_t)n : 0;
    }
    if (used > 0 && count > SHOWN)
        snprintf(out + used, 160 - used, ", ...");
}

static const char *unit_at(const void *encoding, size_t k) {
    return isg_encoding_unit_name(encoding, k);
}

static const char *id_at(const void *data, size_t k) {
    return isg_dataset_sample_id(data, k);
}

/* The constant units by name, or by number from 0 if they have none. Those dropped are gone. */
static exit_code list_constant(data_info_result *my, const isg_dataset *data) {
    enum { NUMBER_ROOM = 24 };
    const size_t n = my->info.n_visible;
    size_t count = 0, *units = memory_allocate(n, sizeof *units);
    my->constant = memory_allocate(n, sizeof *my->constant);
    my->numbers = memory_allocate(n, NUMBER_ROOM);
    if (!units || !my->constant || !my->numbers) {
        memory_release(units);
        return fail_memory();
    }
    const exit_code code = fail_status(isg_dataset_constant_units(data, units, &count));
    for (size_t k = 0; code == EXIT_DONE && k < count; k++) {
        const char *name = isg_encoding_unit_name(isg_dataset_encoding(data), units[k]);
        char *number = my->numbers + k * NUMBER_ROOM;
        snprintf(number, NUMBER_ROOM, "%zu", units[k]);
        my->constant[k] = name ? name : number;
    }
    my->constant_units = (result_list){my->constant, count, sizeof *my->constant};
    my->has_constant = my->info.n_constant > 0;
    memory_release(units);
    return code;
}

static exit_code look(data_info_result *my, const isg_dataset *data, class_count **classes) {
    const isg_dataset_info info = my->info = isg_dataset_describe(data);
    my->positive_fraction = isg_dataset_positive_fraction(data);
    const isg_encoding *encoding = isg_dataset_encoding(data);
    const isg_encoding_info how = isg_encoding_describe(encoding);
    my->cut = how.threshold;
    my->is_per_unit = isnan(how.threshold);
    isg_binarize_text(how.rule, how.at, my->binarization);
    list_names(my->unit_names, unit_at, encoding, info.n_visible);
    list_names(my->sample_ids, id_at, data, info.n_samples);
    my->has_units = my->unit_names[0] != '\0';
    my->has_ids = my->sample_ids[0] != '\0';
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
    const exit_code code = fail_status(isg_dataset_count_duplicates(data, &my->duplicate_rows));
    return code == EXIT_DONE ? list_constant(my, data) : code;
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
        code = data_refuse_impute(&settings->data);
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
    memory_release(my.constant);
    memory_release(my.numbers);
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
    INFO(threshold, "fraction of full scale above which a value is +1; null if units have their own"),
    RESULT_CHAR_ARRAY(data_info_result, binarization, "binarization", "the rule that made spins of the values"),
    INFO(n_constant, "number of units that are the same in all samples, or were before --drop-constant"),
    RESULT_LIST_OF(data_info_result, constant_units, result_texts, "their names, or numbers from 0"),
    RESULT_AS(data_info_result, info.n_missing, "missing", "number of missing values"),
    INFO(n_missing_samples, "number of samples with missing values"),
    INFO(n_unlabelled, "number of samples without a label, which are left out"),
    INFO(n_unmatched_labels, "number of labels of samples that are not there"),
    INFO(joined_by_id, "whether labels were joined to the samples by id"),
    IS(has_units, "whether the units have names"),
    IS(has_ids, "whether the samples have names"),
    RESULT_CHAR_ARRAY(data_info_result, checksum, "bits_sha256",
                      "SHA-256 of the spins packed row by row, first unit = highest bit"),
    RESULT_POINTER(data_info_result, set, origin_results, "of a set of 'isinglass data list'; null for other data"),
    IS(sheet, "the picture, or null"),
    RESULT_HIDDEN(data_info_result, data), RESULT_HIDDEN(data_info_result, cut),
    RESULT_HIDDEN(data_info_result, is_grey), RESULT_HIDDEN(data_info_result, is_per_unit),
    RESULT_HIDDEN(data_info_result, has_constant),
    {.kind = RESULT_CHARS, .key = "unit_names", .offset = offsetof(data_info_result, unit_names), .is_private = true},
    {.kind = RESULT_CHARS, .key = "sample_ids", .offset = offsetof(data_info_result, sample_ids), .is_private = true},
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
    {.when = "!is_grey&!is_per_unit", .label = "+1 where", .text = "value > {cut}"},
    {.when = "is_per_unit", .label = "+1 where", .text = "value > {binarization} of the unit"},
    {.when = "has_units", .label = "unit names", .text = "{unit_names}"},
    {.when = "has_ids", .label = "sample ids", .text = "{sample_ids}"},
    {.when = "has_constant", .label = "constant units", .text = "{n_constant}"},
    {.when = "n_missing_samples", .label = "missing", .text = "{missing value} in {n_missing_samples sample}"},
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
        "Values count as 8-bit grey levels, with full scale 255, if the file holds images (three "
        "dimensions), they lie in 0 to 255 and some exceed 2; --scale 255 says so of any other "
        "file. --shape changes no spin.\n"
        "Thresholds that depend on the values are learned from all rows of the file, whatever "
        "--class and --limit then keep. What is made from the data carries them and the names of "
        "the "
        "units, and so do models made from that: other data given with a model are read as its "
        "own were, by the names of their columns in any order. There, another --binarize or "
        "--scale is refused without --force.\n"
        "NA, NaN, '?' and empty fields are missing values, which --missing is about; infinity is "
        "an error.",
    .arguments = arguments,
    .options = options,
    .results = results,
    .examples = examples,
    .settings_bytes = sizeof(data_info_settings),
    .defaults = defaults,
    .run = run,
};
