/* model_input.c - a model on the command line: a file, or a run directory that holds one
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/model_input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/allocation.h"

exit_code model_load(isg_rbm **out, const char *name) {
    static const char file[] = "/model.npz";
    struct stat found;
    if (stat(name, &found) != 0 || !S_ISDIR(found.st_mode))
        return fail_status(isg_rbm_load(out, name));
    const size_t room = strlen(name) + sizeof file;
    char *path = memory_allocate(room, 1);
    if (!path)
        return fail_memory();
    snprintf(path, room, "%s%s", name, file);
    const exit_code code = fail_status(isg_rbm_load(out, path));
    memory_release(path);
    return code;
}
