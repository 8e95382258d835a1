/* fuzz_model.c - any bytes as the .npz file of an RBM
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "isinglass.h"
#include "mutator.h"
#include "rbm/rbm.h"
#include "target.h"

MUTATE_ZIPS

/* What was accepted belongs together. */
static void check(const isg_rbm *rbm) {
    const isg_rbm_info info = isg_rbm_describe(rbm);
    const isg_matd_view r = isg_rbm_coefficients(rbm);
    const isg_patterns *patterns = isg_rbm_patterns(rbm);
    if (!(info.beta > 0) || (r.data && r.rows != info.n_hidden) ||
        (patterns && isg_patterns_describe(patterns).n_visible != info.n_visible) ||
        (patterns && r.data && isg_patterns_describe(patterns).n_patterns != r.cols) ||
        (info.image_height > 0 && info.image_height * info.image_width != info.n_visible))
        abort();
    for (size_t k = 0; k < info.n_visible * info.n_hidden; k++)
        if (!isfinite(rbm->weights[k]))
            abort();
}

/* What is written again reads the same. */
static void write_back(const isg_rbm *rbm) {
    const isg_rbm_info info = isg_rbm_describe(rbm);
    isg_rbm *again = NULL;
    if (isg_rbm_save(rbm, scratch_file(), 1, "fuzz") != ISG_OK ||
        isg_rbm_load(&again, scratch_file()) != ISG_OK)
        abort();
    const isg_rbm_info found = isg_rbm_describe(again);
    const size_t n = info.n_visible, p = info.n_hidden;
    if (found.n_visible != n || found.n_hidden != p || found.beta != info.beta ||
        found.image_height != info.image_height || found.image_width != info.image_width ||
        memcmp(rbm->weights, again->weights, n * p * sizeof *rbm->weights) != 0 ||
        memcmp(rbm->b, again->b, n * sizeof *rbm->b) != 0 ||
        memcmp(rbm->c, again->c, p * sizeof *rbm->c) != 0 || !rbm->r != !again->r ||
        !rbm->patterns != !again->patterns || (rbm->r && rbm->r_cols != again->r_cols) ||
        (rbm->r && memcmp(rbm->r, again->r, p * rbm->r_cols * sizeof *rbm->r) != 0))
        abort();
    isg_rbm_free(again);
}

static depth read_archive(isg_zip *zip, const uint8_t *bytes, size_t size) {
    isg_rbm *rbm = NULL;
    if (isg_rbm_read(&rbm, zip) != ISG_OK)
        return BEGUN;
    check(rbm);
    if (is_chosen(bytes, size, 16))
        write_back(rbm);
    if (is_chosen(bytes, size, 4))
        (void)isg_rbm_remove_pattern(rbm, 0);
    isg_rbm_free(rbm);
    return ACCEPTED;
}

depth attack(const uint8_t *bytes, size_t size) {
    return attack_zip(bytes, size, read_archive);
}
