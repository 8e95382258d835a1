/* fuzz_model.c - any bytes as the .npz file of an RBM
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    isg_file *file = NULL;
    isg_zip *zip = NULL;
    isg_rbm *rbm = NULL;
    if (isg_file_from_memory(&file, "fuzz", bytes, size) == ISG_OK &&
        isg_zip_open(&zip, file) == ISG_OK && isg_rbm_read(&rbm, zip) == ISG_OK) {
        const isg_rbm_info info = isg_rbm_describe(rbm);
        const isg_matd_view r = isg_rbm_coefficients(rbm);
        const isg_patterns *patterns = isg_rbm_patterns(rbm);
        /* What was accepted belongs together. */
        if (!(info.beta > 0) || (r.data && r.rows != info.n_hidden) ||
            (patterns && isg_patterns_describe(patterns).n_visible != info.n_visible) ||
            (patterns && r.data && isg_patterns_describe(patterns).n_patterns != r.cols))
            abort();
        if (info.n_hidden < 64 && info.n_visible < 1024)
            (void)isg_rbm_remove_pattern(rbm, 0);
    }
    isg_rbm_free(rbm);
    isg_zip_close(zip);
    isg_file_close(file);
    return 0;
}
