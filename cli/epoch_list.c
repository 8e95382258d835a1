/* epoch_list.c - --error-at on the command line: numbers of epochs with commas between them
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/epoch_list.h"

#include "cli/allocation.h"
#include "cli/parts.h"
#include "src/base/number.h"

static exit_code misused(const char *text) {
    return fail(EXIT_MISUSED,
                "--error-at: expected rising numbers of epochs, such as 0,1,5,10, "
                "found '%.60s'",
                text);
}

static exit_code parse(size_t *out, size_t *count, const char *text) {
    for (const char *rest = text; rest; ++*count) {
        char digits[PART_BYTES];
        if (!part_cut(&rest, ',', digits) || !isg_parse_size(digits, &out[*count]) ||
            (*count > 0 && out[*count] <= out[*count - 1]))
            return misused(text);
    }
    return EXIT_DONE;
}

exit_code epoch_list_parse(size_t **out, size_t *count, const char *text, bool is_typed,
                           size_t last) {
    size_t room = 2, found = 0;
    for (const char *c = text ? text : ""; *c; c++)
        room += *c == ',';
    size_t *epochs = memory_allocate(room, sizeof *epochs);
    if (!epochs)
        return fail_memory();
    exit_code code = text ? parse(epochs, &found, text) : EXIT_DONE;
    while (code == EXIT_DONE && !is_typed && found > 0 && epochs[found - 1] > last)
        found--;
    if (code == EXIT_DONE && found > 0 && epochs[found - 1] > last)
        code = fail(EXIT_MISUSED, "--error-at: epoch %zu is beyond --epochs %zu", epochs[found - 1],
                    last);
    if (code != EXIT_DONE) {
        memory_release(epochs);
        return code;
    }
    if (found == 0 || epochs[found - 1] < last)
        epochs[found++] = last;
    *out = epochs;
    *count = found;
    return EXIT_DONE;
}

exit_code epoch_list_add(size_t **epochs, size_t *count, size_t every) {
    const size_t n = *count, *old = *epochs;
    const size_t n_more = old[n - 1] / every + 1;
    size_t *all = n_more < SIZE_MAX - n ? memory_allocate(n + n_more, sizeof *all) : NULL;
    if (!all)
        return fail_memory();
    *count = 0;
    for (size_t k = 0, more = 0; k < n; k++) {
        for (; more < n_more && more * every < old[k]; more++)
            all[(*count)++] = more * every;
        more += more < n_more && more * every == old[k];
        all[(*count)++] = old[k];
    }
    memory_release(*epochs);
    *epochs = all;
    return EXIT_DONE;
}
