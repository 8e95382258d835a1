/* fuzz_cli_numbers.c - any text as a number, or as a list of numbers, on the command line
 *
 * SPDX-License-Identifier: MIT
 *
 * The first byte chooses how the text is read.
 */
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "base/number.h"
#include "beta_list.h"
#include "beta_schedule.h"
#include "epoch_list.h"
#include "mutator.h"
#include "number_list.h"
#include "rates.h"
#include "target.h"
#include "typed_number.h"
#include "unit_ranges.h"

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed) {
    if (size < 2 || seed % 16 == 0)
        return mutate_as(FORM_PLAIN, bytes, size, room, seed);
    return 1 + mutate_as(FORM_TEXT, bytes + 1, size - 1, room - 1, seed / 16);
}

enum { MOST_TEXT = 512, UNITS = 70, STEPS = 1000 };

/* What is typed is read more strictly than what is in files, and to the same value; what is written
   reads back to it. */
static bool try_number(const char *text) {
    double typed = 0, read = 0, back = 0;
    uint64_t whole = 0;
    size_t size = 0;
    char again[ISG_NUMBER_ROOM];
    const bool is_whole = isg_parse_uint64(text, &whole), is_typed = number_double(text, &typed);
    const isg_number_kind found = isg_parse_number(text, &read);
    if (is_whole != isg_parse_size(text, &size) || (is_whole && size != whole) ||
        (is_whole && !is_typed))
        abort();
    if (is_typed && (found != ISG_NUMBER_OK || memcmp(&typed, &read, sizeof read) != 0))
        abort();
    if (found == ISG_NUMBER_OK) {
        isg_format_number(again, sizeof again, read);
        if (!isfinite(read) || isg_parse_number(again, &back) != ISG_NUMBER_OK ||
            memcmp(&back, &read, sizeof back) != 0)
            abort();
    }
    return is_typed;
}

static bool try_list(const char *text) {
    const number_range range = {.low = -1, .high = 1e6};
    double *values = NULL;
    size_t count = 0;
    bool is_read = false;
    if (number_list_parse(&values, &count, text, range, &is_read) != EXIT_DONE)
        abort();
    if (is_read && count == 0)
        abort();
    for (size_t k = 0; is_read && k < count; k++)
        if (!(values[k] >= -1 && values[k] <= 1e6))
            abort();
    if (is_read)
        memory_release(values);
    return is_read;
}

static bool try_betas(const char *text) {
    double *values = NULL;
    size_t count = 0;
    if (beta_list_parse(&values, &count, text) != EXIT_DONE)
        return false;
    for (size_t k = 0; k < count; k++)
        if (!(values[k] > 0 && isfinite(values[k])))
            abort();
    memory_release(values);
    return true;
}

static bool try_epochs(const char *text) {
    size_t *epochs = NULL, count = 0;
    if (epoch_list_parse(&epochs, &count, text, true, STEPS) != EXIT_DONE)
        return false;
    for (size_t k = 1; k < count; k++)
        if (epochs[k] <= epochs[k - 1])
            abort();
    if (count == 0 || epochs[count - 1] != STEPS)
        abort();
    memory_release(epochs);
    return true;
}

static bool try_schedule(const char *text) {
    beta_schedule found;
    if (betas_parse(&found, text, STEPS) != EXIT_DONE)
        return false;
    if (found.parts == 0 || found.from[0] != 0 || found.from[found.parts] != STEPS)
        abort();
    for (size_t k = 0; k < found.parts; k++)
        if (!(found.beta[k] > 0) || found.from[k] >= found.from[k + 1])
            abort();
    return true;
}

/* The text that is kept of a schedule stands for the same. */
static bool try_rates(const char *text) {
    rate_schedule one = {0}, two = {0};
    const char *kept = text;
    if (rates_read(&one, &kept) != EXIT_DONE)
        return false;
    if (rates_read(&two, &kept) != EXIT_DONE || strcmp(one.text, two.text) != 0 ||
        kept != two.text || one.n_rates != two.n_rates || one.n_rates == 0)
        abort();
    for (size_t k = 0; k < one.n_rates; k++)
        if (one.rates[k].rate != two.rates[k].rate ||
            one.rates[k].from_epoch != two.rates[k].from_epoch)
            abort();
    rates_free(&one);
    rates_free(&two);
    return true;
}

static bool try_ranges(const char *text) {
    uint64_t units[(UNITS + 63) / 64] = {0};
    size_t chosen = 0, counted = 0;
    if (ranges_parse("--units", text, UNITS, units, &chosen) != EXIT_DONE)
        return false;
    for (size_t i = 0; i < 64 * (sizeof units / sizeof units[0]); i++) {
        const bool is_chosen_unit = units[i / 64] >> i % 64 & 1;
        if (is_chosen_unit && i >= UNITS)
            abort();
        counted += is_chosen_unit;
    }
    if (counted != chosen || chosen == 0)
        abort();
    return true;
}

depth attack(const uint8_t *bytes, size_t size) {
    static bool (*const tries[])(const char *) = {try_number,   try_list,  try_betas, try_epochs,
                                                  try_schedule, try_rates, try_ranges};
    char text[MOST_TEXT];
    if (size < 1 || size > sizeof text)
        return REFUSED;
    memcpy(text, bytes + 1, size - 1);
    text[size - 1] = '\0';
    return tries[bytes[0] % (sizeof tries / sizeof tries[0])](text) ? ACCEPTED : REFUSED;
}
