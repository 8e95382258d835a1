/* states_text.h - deep states in words, as rows of results and as arrays
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_STATES_TEXT_H
#define CLI_STATES_TEXT_H

#include "cli/command.h"

/* A mixture of three patterns. */
typedef struct state_mixture {
    char *formula; /* "3#31 + 8#82 - 5#55", or sgn() of that */
    result_list patterns, signs;
    size_t distance;
    bool is_sum;
    double sign[3];
} state_mixture;

/* One state. */
typedef struct state_line {
    size_t number;
    double energy, depth, share, well, basin;
    size_t reached, nearest, distance;
    size_t mixture_distance; /* SIZE_MAX if there are fewer than three patterns */
    double overlap;
    const char *label; /* of the nearest pattern, or NULL */
    char *name, *what;
    const char *kind; /* pattern, mixture or other; NULL if no patterns are known */
    isg_deep_state state;
    state_mixture named;
    const state_mixture *mixture; /* NULL if it is none */
    bool is_pattern, is_shown, has_patterns;
} state_line;

typedef struct states_text {
    state_line *lines;
    size_t count;
    bool has_patterns;
} states_text;

/* `patterns` may be NULL; shares are of exp(log_z). The first `show` are printed. Free it, even after a
   failure. */
exit_code states_text_create(states_text *out, const isg_deep_states *states,
                             const isg_patterns *patterns, double log_z, size_t show);
void states_text_free(states_text *text);

/* As arrays; the shape of images is 0 x 0 if unknown. */
exit_code states_text_save(const states_text *text, const isg_deep_states *states,
                           const invocation *call, const char *path, size_t height, size_t width);

extern const result_entry states_text_results[]; /* of a state_line */

#endif
