/* sample_file.c - the states of chains in .npz files
 *
 * SPDX-License-Identifier: MIT
 *
 * s (count, N) as int8, lambda (count, p) as float32, energy (count), meta.json.
 */
#include <string.h>

#include "base/bits.h"
#include "base/memory.h"
#include "io/meta.h"
#include "io/npz.h"
#include "isinglass/sample.h"

static isg_status write_spins(const isg_chains *chains, const isg_chains_info *info,
                              isg_npz_writer *writer) {
    const size_t n = info->n_visible;
    const isg_array_type type = isg_array_type_of(ISG_INT8, 2, (const size_t[]){info->count, n});
    int8_t *spins = isg_allocate(info->count, n);
    if (!spins)
        return ISG_ERR_MEMORY;
    for (size_t k = 0; k < info->count; k++)
        for (size_t i = 0; i < n; i++)
            spins[k * n + i] = (int8_t)isg_spin(isg_chains_spins(chains, k), i);
    const isg_status status = isg_npz_writer_add_array(writer, "s", &type, spins);
    isg_release(spins);
    return status;
}

static isg_status write_hidden(const isg_chains *chains, const isg_chains_info *info,
                               isg_npz_writer *writer) {
    const size_t p = info->n_hidden;
    const isg_array_type type = isg_array_type_of(ISG_FLOAT32, 2, (const size_t[]){info->count, p});
    float *lambda = NULL;
    ISG_TRY(ISG_ALLOCATE_MATRIX(lambda, info->count, p));
    for (size_t k = 0; k < info->count; k++)
        memcpy(lambda + k * p, isg_chains_hidden(chains, k), p * sizeof *lambda);
    const isg_status status = isg_npz_writer_add_array(writer, "lambda", &type, lambda);
    isg_release(lambda);
    return status;
}

static isg_status write_energies(const isg_chains *chains, const isg_chains_info *info,
                                 isg_npz_writer *writer) {
    const isg_array_type type = isg_array_type_of(ISG_FLOAT64, 1, &info->count);
    double *energies = NULL;
    ISG_TRY(ISG_ALLOCATE(energies, info->count));
    isg_chains_energy(chains, energies);
    const isg_status status = isg_npz_writer_add_array(writer, "energy", &type, energies);
    isg_release(energies);
    return status;
}

isg_status isg_chains_save(const isg_chains *chains, const char *path, const char *command) {
    const isg_chains_info info = isg_chains_describe(chains);
    const isg_meta meta = {.kind = "samples",
                           .seed = info.seed,
                           .command = command,
                           .image_height = info.image_height,
                           .image_width = info.image_width};
    isg_npz_writer *writer = NULL;
    isg_status status = ISG_OK;
    ISG_TRY(isg_npz_writer_create(&writer, path));
    ISG_TRY_GOTO(write_spins(chains, &info, writer));
    ISG_TRY_GOTO(write_hidden(chains, &info, writer));
    ISG_TRY_GOTO(write_energies(chains, &info, writer));
    ISG_TRY_GOTO(isg_meta_write(&meta, writer));
    ISG_TRY_GOTO(isg_npz_writer_commit(writer));
done:
    isg_npz_writer_free(writer);
    return status;
}
