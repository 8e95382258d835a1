/* fuzz_cli_settings.c - any bytes as the run.json of a run
 *
 * SPDX-License-Identifier: MIT
 *
 * The first byte chooses the verb, and an option that was typed as well.
 */
#include <jansson.h>
#include <string.h>

#include "allocation.h"
#include "mutator.h"
#include "options.h"
#include "run_settings.h"
#include "target.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    if (size < 2 || seed % 16 == 0)
        return mutate_as(FORM_PLAIN, bytes, size, room, seed);
    return 1 + mutate_as(FORM_TEXT, bytes + 1, size - 1, room - 1, seed / 16);
}

static const char *const nothing[] = {NULL};

/* The values of all options of a new command line, after those of `record`; NULL if it is refused. */
static json_t *take_over(const json_t *record, unsigned choice) {
    static char program[] = "isinglass", train[] = "train", classify[] = "classify", data[] = "x",
                test[] = "y", typed[] = "--batch=50";
    char *words[] = {program, choice & 1 ? classify : train, data, choice & 1 ? test : typed,
                     typed};
    const int count = choice & 1 ? (choice & 2 ? 5 : 4) : (choice & 2 ? 4 : 3);
    invocation call = {.verb = NULL};
    json_t *values = NULL;
    if (options_parse(&call, count, words) != EXIT_DONE)
        abort();
    const exit_code code = settings_restore(&call, record, nothing, "run");
    if (code == EXIT_DONE)
        values = settings_record(&call, nothing);
    else if (code != EXIT_CHECKPOINT)
        abort();
    options_free(&call);
    return values;
}

/* What was taken over is taken over again as it is. */
static void check(const json_t *values, unsigned choice) {
    json_t *again = take_over(values, choice & 1);
    if (!again || !json_equal(again, values))
        abort();
    json_decref(again);
}

/* What is written has a checksum that it passes. */
static void write_back(json_t *record) {
    json_error_t error;
    char *text = settings_text(record);
    json_t *again = text ? json_loads(text, JSON_REJECT_DUPLICATES, &error) : NULL;
    if (!again || !json_equal(again, record) ||
        settings_check_text(again, "run", "run.json") != EXIT_DONE)
        abort();
    json_decref(again);
    memory_release(text);
}

depth attack(const uint8_t *bytes, size_t size) {
    json_error_t error;
    json_t *record =
        size > 0 ? json_loadb((const char *)bytes + 1, size - 1, JSON_REJECT_DUPLICATES, &error)
                 : NULL;
    if (!record)
        return REFUSED;
    depth how_far = BEGUN;
    if (settings_check_text(record, "run", "run.json") == EXIT_DONE) {
        const json_t *options = json_object_get(record, "options");
        json_t *values = json_is_object(options) ? take_over(options, bytes[0]) : NULL;
        if (values) {
            how_far = ACCEPTED;
            check(values, bytes[0]);
        }
        json_decref(values);
        if (json_is_object(record))
            write_back(record);
    }
    json_decref(record);
    return how_far;
}
