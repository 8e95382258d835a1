/* rates.c - --rate on the command line: a learning rate that changes at given epochs
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/rates.h"

#include <stdio.h>
#include <string.h>

#include "cli/allocation.h"
#include "cli/parts.h"
#include "cli/typed_number.h"
#include "cli/value.h"
#include "src/base/number.h"

enum { WRITTEN_BYTES = 56 }; /* the longest rate as it is written here */

/* "1e-4@25", or "5e-4" for the first. */
static bool parse_rate(isg_rate *out, const char *text, bool is_first) {
    char number[PART_BYTES];
    const char *epoch = text;
    *out = (isg_rate){0, 0};
    return part_cut(&epoch, '@', number) && (epoch == NULL) == is_first &&
           number_double(number, &out->rate) && out->rate > 0 &&
           (is_first || (isg_parse_size(epoch, &out->from_epoch) && out->from_epoch > 0));
}

static int write_rate(char *out, size_t room, const isg_rate *rate) {
    char number[ISG_NUMBER_ROOM];
    isg_format_number(number, sizeof number, rate->rate);
    return rate->from_epoch ? snprintf(out, room, ",%s@%zu", number, rate->from_epoch)
                            : snprintf(out, room, "%s", number);
}

const char *rates_default(void) {
    static char text[WORDS_BYTES];
    write_number(text, isg_train_defaults().rates[0].rate);
    return text;
}

static exit_code refuse(const char *text) {
    return fail(EXIT_MISUSED,
                "--rate: expected " RATES_METAVAR " such as 1e-4 or 5e-4,1e-4@25, positive rates "
                "with rising epochs, found '%.60s'",
                text);
}

static bool parse(rate_schedule *out, const char *text) {
    size_t used = 0;
    for (const char *rest = text; rest; out->n_rates++) {
        char part[PART_BYTES];
        isg_rate *rate = out->rates + out->n_rates;
        if (!part_cut(&rest, ',', part) || !parse_rate(rate, part, out->n_rates == 0) ||
            (out->n_rates > 0 && rate->from_epoch <= rate[-1].from_epoch))
            return false;
        used += (size_t)write_rate(out->text + used, WRITTEN_BYTES, rate);
    }
    return true;
}

exit_code rates_read(rate_schedule *out, const char **text) {
    rate_schedule schedule = {0};
    size_t parts = 1;
    for (const char *c = *text; *c; c++)
        parts += *c == ',';
    schedule.rates = memory_allocate(parts, sizeof *schedule.rates);
    schedule.text = memory_allocate(parts, WRITTEN_BYTES);
    exit_code code = EXIT_DONE;
    if (!schedule.rates || !schedule.text)
        code = fail_memory();
    else if (!parse(&schedule, *text))
        code = refuse(*text);
    rates_free(code == EXIT_DONE ? out : &schedule);
    if (code == EXIT_DONE) {
        *out = schedule;
        *text = schedule.text;
    }
    return code;
}

void rates_free(rate_schedule *schedule) {
    memory_release(schedule->rates);
    memory_release(schedule->text);
    *schedule = (rate_schedule){0};
}
