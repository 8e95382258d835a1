/* npz.h - named arrays in one file, as numpy.savez writes and numpy.load reads them
 *
 * SPDX-License-Identifier: MIT
 *
 * A zip archive with the array "W" as the member "W.npy"; texts keep their names ("meta.json").
 */
#ifndef ISG_NPZ_H
#define ISG_NPZ_H

#include "io/array.h"
#include "io/zip.h"

/* ---- Writing ------------------------------------------------------------------------------ */

typedef struct isg_npz_writer isg_npz_writer;

/* In memory if `path` is NULL. */
isg_status isg_npz_writer_create(isg_npz_writer **out, const char *path);

/* `data` holds the numbers as `type` describes them, including the byte order. Whole numbers are
   deflated where that pays, since spins and labels shrink a lot; floating-point numbers hardly
   shrink and are stored. */
isg_status isg_npz_writer_add_array(isg_npz_writer *writer, const char *name,
                                    const isg_array_type *type, const void *data);

/* The same, never deflated: for bits that are packed already and wanted soon. */
isg_status isg_npz_writer_add_stored(isg_npz_writer *writer, const char *name,
                                     const isg_array_type *type, const void *data);

/* Numbers in zero, one or two dimensions; dims beyond n_dims are ignored. */
isg_status isg_npz_writer_add_doubles(isg_npz_writer *writer, const char *name,
                                      const double *numbers, size_t n_dims, size_t rows,
                                      size_t cols);

isg_status isg_npz_writer_add_text(isg_npz_writer *writer, const char *name, const char *text);

isg_status isg_npz_writer_commit(isg_npz_writer *writer);
void isg_npz_writer_free(isg_npz_writer *writer); /* no file unless committed; NULL is fine */

/* Commits the archive if `status`, of what was added, is ISG_OK, and frees the writer in any case. The
   bytes of an archive in memory are handed over; for a file both are NULL. */
isg_status isg_npz_writer_end(isg_npz_writer *writer, isg_status status, void **bytes,
                              size_t *size);

/* ---- Reading ------------------------------------------------------------------------------ */

/* More than any meta.json needs; a longer text is refused. */
enum { ISG_NPZ_TEXT_BYTES = 1 << 20 };

bool isg_npz_has(const isg_zip *zip, const char *name); /* whether there is an array of this name */

/* The array as a source at its first number, for reading piece by piece. A missing array is
   ISG_ERR_FORMAT, with a list of those present. */
isg_status isg_npz_open(isg_source **out, isg_array_type *type, isg_zip *zip, const char *name);

/* All numbers of an array of any type but text, released by the caller, always in C order; `type`
   then says C order, with the file's dtype. `type` may be NULL. */
isg_status isg_npz_read_doubles(isg_zip *zip, const char *name, isg_array_type *type, double **out);

/* Numbers of this shape, all finite. ISG_ERR_SHAPE for another shape. */
isg_status isg_npz_read_shape(isg_zip *zip, const char *name, size_t n_dims, const size_t *dims,
                              double **out);

/* The same as isg_npz_read_doubles() for whole numbers, exactly. Floating-point numbers are accepted if they are whole. */
isg_status isg_npz_read_whole(isg_zip *zip, const char *name, isg_array_type *type, int64_t **out);

/* The same for a single array, from the first byte of a .npy file to its last. */
isg_status isg_npy_read_whole(isg_source *source, isg_array_type *type, int64_t **out);

/* A text member with a terminating zero, released by the caller. */
isg_status isg_npz_read_text(isg_zip *zip, const char *name, char **out);

#endif
