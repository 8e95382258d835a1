/* experts_file.c - experts in a file, to go on from
 *
 * SPDX-License-Identifier: MIT
 *
 * An .npz file with what isg_trainer_save() writes, once for every expert: "expert-3.W" and so on.
 */
#include <stdio.h>

#include "classify/experts.h"

enum { PREFIX_BYTES = 40 };

static const char *prefix_of(size_t k, char prefix[PREFIX_BYTES]) {
    snprintf(prefix, PREFIX_BYTES, "expert-%zu.", k);
    return prefix;
}

isg_status isg_experts_save(const isg_experts *experts, const char *path) {
    char prefix[PREFIX_BYTES];
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    for (size_t k = 0; k < experts->n_experts; k++)
        ISG_TRY_GOTO(isg_trainer_write(experts->expert[k].trainer, writer, prefix_of(k, prefix)));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
done:
    isg_npz_writer_free(writer);
    return status;
}

/* Experts are trained in turn, so none can be before the one in front of it, nor two epochs behind
   the first. */
static isg_status check_turns(const isg_experts *experts, const char *file) {
    for (size_t k = 1; k < experts->n_experts; k++) {
        const uint64_t first = experts->expert[0].trainer->state.epochs;
        const uint64_t before = experts->expert[k - 1].trainer->state.epochs;
        const uint64_t mine = experts->expert[k].trainer->state.epochs;
        if (mine > before || first - mine > 1)
            return isg_fail(ISG_ERR_FORMAT, "%s: the experts are not of one training", file);
    }
    return ISG_OK;
}

isg_status isg_experts_load(isg_experts *experts, const char *path) {
    char prefix[PREFIX_BYTES];
    isg_zip *zip = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_zip_open_path(&zip, path));
    for (size_t k = 0; k < experts->n_experts; k++)
        ISG_TRY_GOTO(isg_trainer_read(experts->expert[k].trainer, zip, prefix_of(k, prefix)));
    status = check_turns(experts, path);
done:
    isg_zip_close(zip);
    return status;
}
