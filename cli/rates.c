/* rates.c - --rate on the command line: a learning rate that changes at given epochs
 *
 * SPDX-License-Identifier: MIT
 */
#include "rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "typed_number.h"

enum { PIECE_BYTES = 64, WRITTEN_BYTES = 56 }; /* as typed; as written here */

static bool parse_piece(isg_rate *out, const char *piece, bool is_first) {
    char number[PIECE_BYTES];
    const char *at = strchr(piece, '@');
    const size_t length = at ? (size_t)(at - piece) : strlen(piece);
    memcpy(number, piece, length);
    number[length] = '\0';
    *out = (isg_rate){0, 0};
    return (at != NULL) == !is_first && number_double(number, &out->rate) && out->rate > 0 &&
           (is_first || (number_size(at + 1, &out->from_epoch) && out->from_epoch > 0));
}

/* The fewest digits that read back to the same number. */
static int write_rate(char *out, size_t room, const isg_rate *rate) {
    char number[32];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, rate->rate);
        if (strtod(number, NULL) == rate->rate)
            break;
    }
    return rate->from_epoch ? snprintf(out, room, ",%s@%zu", number, rate->from_epoch)
                            : snprintf(out, room, "%s", number);
}

static exit_code refuse(const char *text) {
    return fail(EXIT_MISUSED,
                "--rate: expected " RATES_METAVAR " such as 1e-4 or 5e-4,1e-4@25, positive rates "
                "with rising epochs, found '%.60s'",
                text);
}

static bool parse_pieces(rate_schedule *out, const char *text) {
    size_t used = 0;
    for (const char *next = text; next;) {
        char piece[PIECE_BYTES];
        const size_t length = strcspn(next, ",");
        if (length >= sizeof piece)
            return false;
        memcpy(piece, next, length);
        piece[length] = '\0';
        isg_rate *rate = out->rates + out->n_rates;
        if (!parse_piece(rate, piece, out->n_rates == 0) ||
            (out->n_rates > 0 && rate->from_epoch <= rate[-1].from_epoch))
            return false;
        used += (size_t)write_rate(out->text + used, WRITTEN_BYTES, rate);
        out->n_rates++;
        next = next[length] ? next + length + 1 : NULL;
    }
    return true;
}

exit_code rates_parse(rate_schedule *out, const char *text) {
    rate_schedule schedule = {0};
    size_t pieces = 1;
    for (const char *c = text; *c; c++)
        pieces += *c == ',';
    schedule.rates = memory_allocate(pieces, sizeof *schedule.rates);
    schedule.text = memory_allocate(pieces, WRITTEN_BYTES);
    exit_code code = EXIT_DONE;
    if (!schedule.rates || !schedule.text)
        code = fail_memory();
    else if (!parse_pieces(&schedule, text))
        code = refuse(text);
    if (code == EXIT_DONE)
        *out = schedule;
    else
        rates_free(&schedule);
    return code;
}

void rates_free(rate_schedule *schedule) {
    memory_release(schedule->rates);
    memory_release(schedule->text);
    *schedule = (rate_schedule){0};
}
