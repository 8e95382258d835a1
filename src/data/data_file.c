/* data_file.c - the format of an input file, from its name
 *
 * SPDX-License-Identifier: MIT
 *
 * The name decides and the content must agree: a file whose content does not match its name is
 * refused, not guessed at.
 */
#include "data/data_file.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/verified_file.h"

static bool ends_in(const char *name, size_t length, const char *ending) {
    const size_t n = strlen(ending);
    return length > n && isg_same_letters(name + length - n, ending, n);
}

/* A last component without an extension, or with "idx" in it: train-images-idx3-ubyte. */
static bool is_idx_name(const char *name, size_t length) {
    const char *end = name + length, *base = end;
    while (base > name && base[-1] != '/')
        base--;
    if (!memchr(base, '.', (size_t)(end - base)))
        return true;
    for (; base + 3 <= end; base++)
        if (isg_same_letters(base, "idx", 3))
            return true;
    return false;
}

/* Lists the endings: ".npy, .npz or .mtx". */
static isg_status no_format(const char *name) {
    char endings[128] = "";
    size_t used = 0;
    for (const isg_format *f = isg_formats; !f->ending || f->ending[0]; f++)
        if (f->ending)
            used += (size_t)snprintf(endings + used, sizeof endings - used, "%s%s",
                                     used == 0        ? ""
                                     : f[1].ending[0] ? ", "
                                                      : " or ",
                                     f->ending);
    return isg_fail(ISG_ERR_FORMAT,
                    "%s: unknown file format; expected a name with idx in it, "
                    "or one ending in %s (all but .npz, .h5ad and .h5 may end in .gz)",
                    name, endings);
}

static isg_status format_of(const char *name, const isg_format **format, isg_packing *packing) {
    size_t length = strlen(name);
    *packing = ends_in(name, length, ".gz") ? ISG_GZIP : ISG_PLAIN;
    if (*packing == ISG_GZIP)
        length -= strlen(".gz");
    const isg_format *idx = NULL;
    for (const isg_format *f = isg_formats; !f->ending || f->ending[0]; f++)
        if (!f->ending) {
            idx = f;
        } else if (ends_in(name, length, f->ending)) {
            *format = f;
            return f->is_archive && *packing == ISG_GZIP ? no_format(name) : ISG_OK;
        }
    *format = idx;
    return is_idx_name(name, length) ? ISG_OK : no_format(name);
}

isg_status isg_data_file_take(isg_data_file *out, isg_file *file, const char *expected_sha256) {
    isg_data_file input = {.file = file, .expected_sha256 = expected_sha256};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(format_of(isg_file_name(file), &input.format, &input.packing));
    if (input.format->is_archive && expected_sha256)
        ISG_TRY_GOTO(isg_fail(ISG_ERR_UNSUPPORTED,
                              "%s: %s files cannot be checked against a checksum",
                              isg_file_name(file), input.format->ending));
    if (input.format->is_archive && !input.format->is_hdf5)
        ISG_TRY_GOTO(isg_zip_open(&input.zip, file));
    *out = input;
    status = isg_data_file_rewind(out);
    if (status != ISG_OK)
        isg_data_file_close(out);
    return status;
done:
    isg_data_file_close(&input);
    return status;
}

isg_status isg_data_file_rewind(isg_data_file *input) {
    if (input->format->is_archive)
        return ISG_OK; /* its members are opened one by one */
    isg_source_free(input->source);
    input->source = NULL;
    ISG_TRY(isg_source_create(&input->source, input->file, input->packing, 0,
                              isg_file_size(input->file)));
    if (input->expected_sha256) {
        isg_sha256_start(&input->hash);
        isg_source_observe(input->source, &input->hash);
    }
    return ISG_OK;
}

isg_status isg_data_file_open(isg_data_file *out, const char *path, const char *expected_sha256) {
    isg_file *file = NULL;
    ISG_TRY(isg_file_open(&file, path));
    return isg_data_file_take(out, file, expected_sha256);
}

isg_status isg_data_file_end(isg_data_file *input) {
    ISG_TRY(isg_source_end(input->source));
    if (!input->expected_sha256)
        return ISG_OK;
    char found[ISG_SHA256_HEX];
    isg_sha256_finish(&input->hash, found);
    return isg_compare_sha256(isg_source_name(input->source), found, input->expected_sha256);
}

void isg_data_file_close(isg_data_file *input) {
    isg_source_free(input->source);
    isg_zip_close(input->zip);
    isg_file_close(input->file);
    *input = (isg_data_file){0};
}
