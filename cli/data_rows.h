/* data_rows.h - which samples of a data set to take, if some of every class are wanted
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_DATA_ROWS_H
#define CLI_DATA_ROWS_H

#include "cli/failure.h"

/* The first `each` samples of every class, class by class, repeated if a class has fewer; the last
   class may get fewer, so that there are `count` in all. Classes without samples are skipped.
   Without labels, the first samples, and `each` is 0. The caller releases `rows` (count). */
exit_code rows_by_class(size_t **rows, size_t *each, const isg_dataset *data, size_t count);

#endif
