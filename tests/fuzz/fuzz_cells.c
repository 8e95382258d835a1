/* fuzz_cells.c - any texts as the three files of a 10x directory
 *
 * SPDX-License-Identifier: MIT
 *
 * An input is the matrix, the genes and the barcodes, with a form feed between them.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isinglass.h"
#include "mutator.h"
#include "target.h"

static const char *const names[] = {"matrix.mtx", "features.tsv", "barcodes.tsv"};
static char directory[64], paths[3][128];

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    return mutate_as(FORM_TEXT, bytes, size, room, seed);
}

static void remove_directory(void) {
    for (size_t k = 0; k < 3; k++)
        unlink(paths[k]);
    rmdir(directory);
}

/* The files are links to files in memory, whose names stay. */
void prepare(void) {
    snprintf(directory, sizeof directory, "%s.d", scratch_file());
    if (mkdir(directory, 0700) != 0 || atexit(remove_directory) != 0)
        abort();
    for (unsigned k = 0; k < 3; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%s", directory, names[k]);
        if (symlink(file_with(k, NULL, 0), paths[k]) != 0)
            abort();
    }
}

/* Every cell and every gene has a name, and no two genes the same. */
static void check(const isg_dataset *data) {
    const isg_dataset_info info = isg_dataset_describe(data);
    const isg_encoding *encoding = isg_dataset_encoding(data);
    for (size_t a = 0; a < info.n_samples; a++)
        if (!isg_dataset_sample_id(data, a)[0])
            abort();
    for (size_t i = 0; i < info.n_visible; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(isg_encoding_unit_name(encoding, i), isg_encoding_unit_name(encoding, k)) ==
                0)
                abort();
}

depth attack(const uint8_t *bytes, size_t size) {
    const uint8_t *next = bytes, *end = bytes + size;
    for (unsigned k = 0; k < 3; k++) {
        const size_t left = (size_t)(end - next);
        const uint8_t *feed = left > 0 && k < 2 ? memchr(next, '\f', left) : NULL;
        const size_t length = feed ? (size_t)(feed - next) : left;
        file_with(k, next, length);
        next += length + (feed != NULL);
    }
    isg_dataset *data = NULL;
    if (isg_dataset_load(&data, directory, NULL, NULL) != ISG_OK)
        return strstr(isg_error_message(), "MatrixMarket") ? REFUSED : BEGUN;
    check(data);
    isg_dataset_free(data);
    return ACCEPTED;
}
