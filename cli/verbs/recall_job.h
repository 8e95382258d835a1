/* recall_job.h - what the parts of isinglass recall share
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_RECALL_JOB_H
#define CLI_RECALL_JOB_H

#include "cli/data_input.h"

enum { N_RULES = 2, N_DYNAMICS = 5 };

typedef struct recall_settings {
    data_settings data;
    const char *out, *picture, *trajectory, *projections, *class_means;
    const char *rule, *dynamics; /* a name, or several with commas between them */
    const char *flip, *mask, *mask_units;
    isg_recall_options how; /* of the published protocol, unless typed */
    size_t trials, row;
    bool keep_diagonal, no_diagonal, committor, free_known;
} recall_settings;

typedef struct recall_job {
    const invocation *call;
    const recall_settings *settings;
    const char *file, *data_name; /* the latter NULL without DATA */
    isg_patterns *patterns;
    isg_patterns_info info;
    isg_dataset *data; /* NULL without DATA */
    isg_dataset *all;  /* with the samples that have no label, for --projections; NULL: data */
    isg_rule rules[N_RULES];
    isg_dynamics dynamics[N_DYNAMICS];
    size_t n_rules, n_dynamics; /* 0 dynamics: as the protocol has it */
    double *flips, *masks;      /* (n_flips), (n_masks) */
    size_t n_flips, n_masks;
    uint64_t *units; /* packed: those of --mask-units; NULL if none */
    size_t n_units;
} recall_job;

/* The names of an isg_rule, an isg_dynamics, and so on. */
extern const char *const rule_names[],
    *const dynamics_names[], *const protocol_names[], *const readout_names[], *const end_names[];

static inline bool is_thermal(isg_dynamics kind) {
    return kind >= ISG_DYNAMICS_GLAUBER;
}

/* --sweeps, or what is usual. */
static inline size_t recall_sweeps(const recall_job *my, size_t usual) {
    return call_has_option(my->call, "sweeps") ? my->settings->how.max_updates : usual;
}

/* Turns a failure of the library into a message about the user's options and files. */
exit_code recall_failed(const recall_job *my, isg_status status);

/* The three things that the verb does; each shows its results, which are one of these. */
typedef struct recall_result {
    const struct protocol_result *protocol;
    const struct curves_result *curves;
    const struct walk_result *walk;
} recall_result;

extern const result_entry recall_protocol_results[], recall_curves_results[], recall_walk_results[];

/* How well the largest projection names the class of a sample. */
typedef struct projection_result {
    const char *file, *onto;
    size_t count;           /* of patterns or class means */
    double accuracy, error; /* NaN if the classes of either are unknown */
} projection_result;

/* Fills in what --missing impute left to the network. */
exit_code recall_impute(const recall_job *my, isg_dataset **data);

/* Writes --projections. */
exit_code recall_project(const recall_job *my, projection_result *out); /* recall_projections.c */

exit_code recall_protocol(recall_job *my);   /* recall_protocol.c */
exit_code recall_curves(recall_job *my);     /* recall_curves.c */
exit_code recall_trajectory(recall_job *my); /* recall_trajectory.c */

#endif
