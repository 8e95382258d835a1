/* idx.h - the IDX format of MNIST: a big-endian header, then the numbers
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_IDX_H
#define ISG_IDX_H

#include "io/array.h"

/* Reads the header and leaves the source at the first number. ISG_ERR_FORMAT if it is not IDX or
   promises more than the source can hold. */
isg_status isg_idx_read_header(isg_source *source, isg_array_type *out);

#endif
