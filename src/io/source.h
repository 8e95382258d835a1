/* source.h - bytes in sequence, from a file, a gzip file or a member of a zip archive
 *
 * SPDX-License-Identifier: MIT
 *
 * Every reader takes an isg_source, so it need not know how its bytes are packed. What a packed
 * source may unpack to is bounded: see isg_source_at_most().
 */
#ifndef ISG_SOURCE_H
#define ISG_SOURCE_H

#include "base/file.h"
#include "base/sha256.h"

typedef enum isg_packing {
    ISG_PLAIN,  /* a file as it is */
    ISG_GZIP,   /* a gzip file of one or more parts */
    ISG_STORED, /* a member of a zip archive, not compressed */
    ISG_DEFLATE /* a member of a zip archive, compressed */
} isg_packing;

typedef struct isg_source isg_source;

/* The `length` bytes of `file` at `offset`, unpacked. Borrows `file`. ISG_GZIP refuses bytes that
   do not begin like gzip, ISG_PLAIN refuses those that do: the name of a file decides. */
isg_status isg_source_create(isg_source **out, isg_file *file, isg_packing packing, uint64_t offset,
                             uint64_t length);

/* The length and checksum that isg_source_end() must find; set by the zip reader. */
void isg_source_expect(isg_source *source, uint64_t bytes, uint32_t crc32);

/* Every byte read from now on is also added to `hash`; NULL stops. */
void isg_source_observe(isg_source *source, isg_sha256 *hash);

/* "digits.npz" or "digits.npz(X.npy)": the beginning of error sentences. */
const char *isg_source_name(const isg_source *source);
isg_status isg_source_rename(isg_source *source, const char *name); /* copies the name */

/* Fills the buffer, except at the end: *got < count means that nothing is left. */
isg_status isg_source_read_some(isg_source *source, void *buffer, size_t count, size_t *got);

/* Fills the buffer; ISG_ERR_FORMAT, saying that `what` is cut off, if the source ends early. */
isg_status isg_source_read(isg_source *source, void *buffer, size_t count, const char *what);

/* The most bytes that can still be read. Exact for plain bytes. For packed ones it follows from the
   packed size and the largest expansion accepted, so a size in a header can be refused before
   anything is allocated for it. */
uint64_t isg_source_at_most(const isg_source *source);

/* ISG_ERR_FORMAT unless everything was read. Checks the length and checksum of packed bytes, so
   call it before trusting what was read. */
isg_status isg_source_end(isg_source *source);

double isg_source_fraction(const isg_source *source);   /* of the packed bytes used so far */
uint64_t isg_source_position(const isg_source *source); /* unpacked bytes read so far */

void isg_source_free(isg_source *source); /* NULL is fine */

#endif
