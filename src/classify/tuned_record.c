/* tuned_record.c - how a classifier was fine-tuned, in its file
 *
 * SPDX-License-Identifier: MIT
 *
 * tuning.json: the epochs that are done, and the options.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "classify/classify.h"
#include "io/json.h"

static const char member[] = "tuning.json";

isg_status isg_tuned_write(const isg_classifier *classifier, isg_npz_writer *writer) {
    const isg_tune_options *how = &classifier->tuned;
    char seed[24]; /* a text, since it may exceed the integers of JSON readers */
    char *facts = NULL;
    if (classifier->tuned_epochs == 0)
        return ISG_OK;
    snprintf(seed, sizeof seed, "%" PRIu64, how->seed);
    const isg_json_pair pairs[] = {
        {.key = "epochs_done",
         .kind = ISG_JSON_INTEGER,
         .integer = (int64_t)classifier->tuned_epochs},
        {.key = "epochs", .kind = ISG_JSON_INTEGER, .integer = (int64_t)how->epochs},
        {.key = "batch_size", .kind = ISG_JSON_INTEGER, .integer = (int64_t)how->batch_size},
        {.key = "rate", .kind = ISG_JSON_NUMBER, .number = how->rate},
        {.key = "logits_rate", .kind = ISG_JSON_NUMBER, .number = how->logits_rate},
        {.key = "shift", .kind = ISG_JSON_INTEGER, .integer = (int64_t)how->shift},
        {.key = "balanced", .kind = ISG_JSON_TEXT, .text = how->balanced ? "yes" : "no"},
        {.key = "seed", .kind = ISG_JSON_TEXT, .text = seed},
    };
    ISG_TRY(isg_json_write(&facts, pairs, sizeof pairs / sizeof *pairs));
    const isg_status status = isg_npz_writer_add_text(writer, member, facts);
    isg_release(facts);
    return status;
}

static isg_status read_size(const isg_json *json, const char *file, const char *key, size_t *out) {
    int64_t number = 0;
    ISG_TRY(isg_json_integer(json, key, &number));
    if (number < 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: %s: expected a number from 0 on, found %" PRId64, file,
                        key, number);
    *out = (size_t)number;
    return ISG_OK;
}

static isg_status read_texts(isg_tune_options *out, const isg_json *json, const char *file) {
    const char *seed = NULL, *balanced = NULL;
    ISG_TRY(isg_json_text(json, "seed", &seed));
    ISG_TRY(isg_json_text(json, "balanced", &balanced));
    out->balanced = strcmp(balanced, "yes") == 0;
    if (!isg_parse_uint64(seed, &out->seed))
        return isg_fail(ISG_ERR_FORMAT, "%s: seed: expected a whole number, found '%s'", file,
                        seed);
    return ISG_OK;
}

static isg_status read_all(isg_classifier *classifier, const isg_json *json, const char *file) {
    isg_tune_options how = {.epochs = 0};
    size_t done = 0;
    ISG_TRY(read_size(json, file, "epochs_done", &done));
    ISG_TRY(read_size(json, file, "epochs", &how.epochs));
    ISG_TRY(read_size(json, file, "batch_size", &how.batch_size));
    ISG_TRY(read_size(json, file, "shift", &how.shift));
    ISG_TRY(isg_json_number(json, "rate", &how.rate));
    ISG_TRY(isg_json_number(json, "logits_rate", &how.logits_rate));
    ISG_TRY(read_texts(&how, json, file));
    if (isg_tune_check(&how) != ISG_OK)
        return isg_fail(ISG_ERR_FORMAT, "%s: %s", file, isg_error_message());
    if (done == 0 || done > how.epochs)
        return isg_fail(ISG_ERR_FORMAT, "%s: %zu epochs cannot be done of %zu", file, done,
                        how.epochs);
    classifier->tuned_epochs = done;
    classifier->tuned = how;
    return ISG_OK;
}

isg_status isg_tuned_read(isg_classifier *classifier, isg_zip *zip) {
    const char *file = isg_zip_file_name(zip);
    size_t index = 0;
    char *facts = NULL;
    isg_json *json = NULL;
    isg_status status = ISG_OK;
    if (!isg_zip_find(zip, member, &index))
        return ISG_OK;
    ISG_TRY(isg_npz_read_text(zip, member, &facts));
    ISG_TRY_GOTO(isg_json_parse(&json, file, facts, strlen(facts)));
    status = read_all(classifier, json, file);
done:
    isg_json_free(json);
    isg_release(facts);
    return status;
}
