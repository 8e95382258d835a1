/* text_file.c - a file of text, whole or not at all
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/text_file.h"

#include "src/base/atomic_file.h"

exit_code text_file_write(const char *path, const output *text) {
    return text->is_out_of_memory ? fail_memory()
                                  : fail_status(isg_write_file(path, text->text, text->length));
}
