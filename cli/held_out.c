/* held_out.c - --validation and --hold-out: data that are not trained on, to choose the best epoch by
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/held_out.h"

exit_code validation_check(const invocation *call, size_t patience) {
    const bool has_file = call_has_option(call, "validation");
    const bool has_share = call_has_option(call, "hold-out");
    if (has_file && has_share)
        return fail(EXIT_MISUSED, "--validation names the data and --hold-out takes them from the "
                                  "training data; give only one of them");
    if (patience > 0 && !has_file && !has_share)
        return fail(EXIT_MISUSED, "--patience: needs --validation or --hold-out");
    return EXIT_DONE;
}

static exit_code hold_out(isg_dataset **out, isg_dataset **data, const invocation *call,
                          const char *name, double share) {
    isg_dataset *kept = NULL;
    /* The training data come first, for a class of one sample to stay there. */
    const isg_status status = isg_dataset_split(&kept, out, *data, 1 - share, call->common.seed);
    if (status == ISG_ERR_ARGUMENT)
        return fail(EXIT_BAD_INPUT, "--hold-out %g: %s: %zu samples are too few", share, name,
                    isg_dataset_describe(*data).n_samples);
    if (status != ISG_OK)
        return fail_status(status);
    isg_dataset_free(*data);
    *data = kept;
    return EXIT_DONE;
}

exit_code validation_load(isg_dataset **out, isg_dataset **data, const invocation *call,
                          const char *name, const data_settings *settings, const char *file,
                          double share) {
    if (!file)
        return share > 0 ? hold_out(out, data, call, name, share) : EXIT_DONE;
    data_settings how = *settings;
    how.how.limit = 0;
    if (how.how.labels_path && !isg_dataset_describe(*data).joined_by_id) {
        how.how.labels_path = NULL; /* in the order of the training data */
        how.how.label_column = NULL;
    }
    const exit_code code = data_load(out, call, file, &how, isg_dataset_encoding(*data));
    const size_t expected = isg_dataset_describe(*data).n_visible;
    if (code != EXIT_DONE || isg_dataset_describe(*out).n_visible == expected)
        return code;
    return fail(EXIT_BAD_INPUT, "%s: has %zu units, but %s has %zu", file,
                isg_dataset_describe(*out).n_visible, name, expected);
}
