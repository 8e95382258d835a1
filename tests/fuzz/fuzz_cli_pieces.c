/* fuzz_cli_pieces.c - any numbers and keys in the pieces.json of a reproduction
 *
 * SPDX-License-Identifier: MIT
 *
 * Begins with all pieces of the paper's scale. The first byte chooses a claim to judge by them, the
 * others change pieces: see edit().
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "paper/claims.h"
#include "target.h"

enum { MOST_CLAIMS = 256, MOST_EDITS = 16, CLASSES = 10, FEW = 8 };

static const claim *claims[MOST_CLAIMS];
static size_t n_claims;
static json_t *whole; /* all pieces */
static const char **keys;
static size_t n_keys;

/* ---- the beginning ---------------------------------------------------------------------------- */

static json_t *piece_of(size_t n_values, double first, double step) {
    json_t *values = json_array();
    for (size_t k = 0; k < n_values; k++)
        if (json_array_append_new(values, json_number(first + step * (double)k)) != 0)
            abort();
    return json_pack("{s:o, s:f}", "values", values, "seconds", 1.0);
}

static void add_figure(experiment *my, const figure *what) {
    my->figure = what;
    for (size_t k = 0, n = what->count(my); k < n; k++) {
        piece next;
        what->plan(my, k, &next);
        if (json_object_set_new(my->pieces, next.key,
                                piece_of(next.n_values, 0.02 + 0.001 * (double)(k % 7), 0.01)) != 0)
            abort();
    }
}

void prepare(void) {
    int8_t spins[CLASSES];
    int64_t labels[CLASSES];
    for (size_t k = 0; k < CLASSES; k++) {
        spins[k] = 1;
        labels[k] = (int64_t)k;
    }
    experiment my = {.scale = SCALE_PAPER, .seed = 1, .pieces = json_object()};
    if (isg_dataset_create(&my.train, CLASSES, 1, spins, labels) != ISG_OK)
        abort();
    my.test = my.train;
    for (size_t k = 0; figures[k]; k++)
        add_figure(&my, figures[k]);
    add_figure(&my, &figure_claims);
    isg_dataset_free(my.train);
    whole = my.pieces;
    keys = calloc(json_object_size(whole), sizeof *keys);
    for (void *at = json_object_iter(whole); at; at = json_object_iter_next(whole, at))
        keys[n_keys++] = json_object_iter_key(at);
    for (size_t list = 0; claim_lists[list]; list++)
        for (const claim *next = claim_lists[list]; next->id; next++)
            claims[n_claims++] = next;
}

/* ---- changes ---------------------------------------------------------------------------------- */

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static size_t take(reader *from) {
    return from->at < from->end ? *from->at++ : 0;
}

/* Most bytes are shares and differences, some what arithmetic may stumble over. */
static json_t *take_number(reader *from) {
    static const double numbers[] = {0, -0.0, 1, 1e300, -1e300, 1e-300, 5e-324, 0x1p63, -1};
    const size_t n_numbers = sizeof numbers / sizeof numbers[0], code = take(from);
    if (code < n_numbers)
        return json_real(numbers[code]);
    if (code == n_numbers)
        return json_null();
    if (code == n_numbers + 1)
        return json_integer(INT64_MAX);
    if (code == n_numbers + 2)
        return json_string("1");
    const double size = code < 128 ? 1 : 1000;
    return json_real(size * ((double)(code % 128) - 64) / 64);
}

static const char *take_key(reader *from) {
    const size_t high = take(from), low = take(from);
    return keys[(high << 8 | low) % n_keys];
}

/* A text up to a line feed or the end. */
static void take_text(reader *from, char text[KEY_BYTES]) {
    size_t length = 0;
    while (from->at < from->end && *from->at != '\n' && length + 1 < KEY_BYTES)
        text[length++] = (char)take(from);
    text[length] = '\0';
}

/* Takes the piece over; a key that is not UTF-8 is refused. */
static void set(json_t *pieces, const char *key, json_t *piece) {
    (void)json_object_set_new(pieces, key, piece);
}

static void edit(json_t *pieces, reader *from) {
    char text[KEY_BYTES];
    const char *key = NULL;
    json_t *piece = NULL;
    size_t index = 0;
    switch (take(from) % 4) {
    case 0: /* one value, */
        key = take_key(from);
        index = take(from);
        piece = json_deep_copy(json_object_get(pieces, key));
        (void)json_array_set_new(json_object_get(piece, "values"), index, take_number(from));
        set(pieces, key, piece);
        break;
    case 1: /* no piece, or something that is none, */
        key = take_key(from);
        if (take(from) % 2)
            (void)json_object_del(pieces, key);
        else
            set(pieces, key, take_number(from));
        break;
    case 2: /* other values, of another number, */
        key = take_key(from);
        set(pieces, key, piece_of(take(from) % FEW, (double)take(from) / 64 - 2, 0));
        break;
    default: /* another key */
        take_text(from, text);
        (void)take(from);
        set(pieces, text, piece_of(FEW, 0.03, 0));
    }
}

/* ---- judging ---------------------------------------------------------------------------------- */

static bool ends(const char *text, size_t room) {
    return memchr(text, '\0', room) != NULL;
}

depth attack(const uint8_t *bytes, size_t size) {
    reader from = {bytes, bytes + size};
    const claim *judged = claims[take(&from) % n_claims];
    json_t *pieces = json_copy(whole);
    for (size_t k = 0; k < MOST_EDITS && from.at < from.end; k++)
        edit(pieces, &from);
    const facts in = {.pieces = pieces,
                      .test_samples = 10000,
                      .train_samples = 60000,
                      .n_classes = CLASSES,
                      .class_samples = {980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009}};
    ruling found;
    claim_judge(judged, &in, &found);
    if ((unsigned)found.verdict >= N_VERDICTS || !found.ours[0] || !found.why[0] ||
        !ends(found.ours, sizeof found.ours) || !ends(found.why, sizeof found.why))
        abort();
    json_decref(pieces);
    return found.verdict == VERDICT_NOT_COMPUTED ? BEGUN : ACCEPTED;
}
