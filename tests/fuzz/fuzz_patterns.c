/* fuzz_patterns.c - any bytes as the .npz file of patterns
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "mutator.h"
#include "patterns/patterns.h"
#include "target.h"

MUTATE_ZIPS

static void check(const isg_patterns *patterns) {
    const isg_patterns_info info = isg_patterns_describe(patterns);
    const isg_labels *labels = &patterns->labels;
    if (info.n_visible == 0 || info.n_patterns == 0 ||
        labels->count != (info.has_labels ? info.n_patterns : 0) ||
        (info.image_height > 0 && info.image_height * info.image_width != info.n_visible))
        abort();
    for (size_t mu = 0; mu < labels->count; mu++)
        if (labels->index[mu] >= labels->n_classes || !labels->names[labels->index[mu]][0])
            abort();
    for (size_t mu = 0; mu < info.n_patterns && info.n_visible % 64; mu++)
        if (isg_patterns_spins(patterns, mu)[info.n_visible / 64] >> info.n_visible % 64)
            abort();
}

/* What is written again reads the same. */
static void write_back(const isg_patterns *patterns) {
    isg_patterns *again = NULL;
    if (isg_patterns_save(patterns, scratch_file(), 1, "fuzz") != ISG_OK ||
        isg_patterns_load(&again, scratch_file()) != ISG_OK)
        abort();
    const isg_patterns_info info = patterns->info, found = again->info;
    const size_t bytes = info.n_patterns * patterns->words * sizeof *patterns->spins;
    if (found.n_visible != info.n_visible || found.n_patterns != info.n_patterns ||
        found.image_height != info.image_height || found.image_width != info.image_width ||
        memcmp(patterns->spins, again->spins, bytes) != 0 ||
        again->labels.count != patterns->labels.count)
        abort();
    for (size_t mu = 0; mu < patterns->labels.count; mu++)
        if (strcmp(patterns->labels.names[patterns->labels.index[mu]],
                   again->labels.names[again->labels.index[mu]]) != 0)
            abort();
    isg_patterns_free(again);
}

static depth read_archive(isg_zip *zip, const uint8_t *bytes, size_t size) {
    isg_patterns *patterns = NULL;
    if (isg_patterns_read(&patterns, zip) != ISG_OK)
        return BEGUN;
    check(patterns);
    if (is_chosen(bytes, size, 16))
        write_back(patterns);
    isg_patterns_free(patterns);
    return ACCEPTED;
}

depth attack(const uint8_t *bytes, size_t size) {
    return attack_zip(bytes, size, read_archive);
}
