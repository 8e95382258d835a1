/* sample_moves.h - --jump and --tempering of isinglass sample: chains that change modes
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_SAMPLE_MOVES_H
#define CLI_SAMPLE_MOVES_H

#include <math.h>

#include "cli/command.h"

typedef struct move_settings {
    bool jump, tempering;
    size_t temperatures;
    double lowest_beta;
} move_settings;

move_settings move_defaults(void);

#define MOVE_OPTION(type, member, field) .offset = offsetof(type, member.field)

/* clang-format off */
#define MOVE_OPTIONS(type, member)                                                                 \
    {.name = "jump", .kind = OPTION_FLAG, MOVE_OPTION(type, member, jump),                         \
     .help = "After every update, propose to jump to another mode, from a mixture of Gaussians "   \
             "fitted to the hidden units, and report how chains change modes"},                    \
    {.name = "tempering", .kind = OPTION_FLAG, MOVE_OPTION(type, member, tempering),               \
     .help = "Replica exchange: before every update, swap states with copies of the chains at "    \
             "smaller beta, and report how chains change modes"},                                  \
    {.name = "temperatures", .kind = OPTION_SIZE, .metavar = "K", .low = 2, .high = 1000,          \
     MOVE_OPTION(type, member, temperatures),                                                      \
     .help = "Tempering: number of beta, a geometric sequence"},                                   \
    {.name = "lowest-beta", .kind = OPTION_DOUBLE, .metavar = "B", .low = 1e-30, .high = 1e30,     \
     MOVE_OPTION(type, member, lowest_beta), .otherwise = "0.9 over the largest eigenvalue of W'W, at most half of --beta",\
     .help = "Tempering: the smallest of them"}
/* clang-format on */

/* What moves chains, and what it showed. */
typedef struct sample_moves {
    const invocation *call;
    const move_settings *settings;
    double beta; /* for the first part of the schedule */
    isg_moves how;
    isg_label_times times;
    double *shares; /* (2 patterns); NULL if the model has none */
} sample_moves;

bool moves_are_wanted(const move_settings *settings);

/* Whether the options go together; call it before any work. */
exit_code moves_check(const invocation *call, const move_settings *settings);

/* Fits the mixture, if jumps are wanted; `data`, which may be NULL, help to find minima. Release with
   moves_release(), after a failure too. */
exit_code moves_start(sample_moves *my, const isg_rbm *rbm, const isg_dataset *data);
void moves_release(sample_moves *my);

/* Replicas of these chains, if tempering is wanted. */
exit_code moves_replicate(sample_moves *my, const isg_chains *chains);

/* ---- results ----------------------------------------------------------------------------------- */

typedef struct jump_result {
    isg_jumps_info found;
    bool is_used;
    const char *reason; /* why not, or NULL */
    double acceptance;
} jump_result;

typedef struct tempering_result {
    isg_tempering_info found;
    bool is_tried;                     /* any pair */
    double *beta_values, *rate_values; /* owned */
    result_list betas, rates;
} tempering_result;

typedef struct occupancy {
    const char *label;
    double share, mirror;
} occupancy;

typedef struct label_result {
    isg_label_times times;
    bool never;       /* no chain has ever changed its label */
    occupancy *items; /* owned */
    result_list occupancies;
} label_result;

/* All that was found; members without a meaning are NULL or empty. */
typedef struct move_result {
    jump_result jump_found;
    tempering_result tempering_found;
    label_result label_found;
    const jump_result *jump;
    const tempering_result *tempering;
    const label_result *labels;
} move_result;

exit_code moves_result(move_result *out, const sample_moves *my, const isg_rbm *rbm,
                       bool is_measured);
void moves_result_release(move_result *out);

extern const result_entry jump_results[], tempering_results[], label_results[];

#endif
