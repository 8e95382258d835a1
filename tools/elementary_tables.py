#!/usr/bin/env python3
# elementary_tables.py - writes src/base/elementary_tables.h
#
# SPDX-License-Identifier: MIT
#
#     python3 tools/elementary_tables.py >src/base/elementary_tables.h
#
# Nothing but the standard library: decimal has exp() and ln() to any precision.
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
LN_2 = Decimal(2).ln()
EXP_ENTRIES = LOG_ENTRIES = 128
ONE = 75  # the interval of the logarithm that has 1 in its middle


def nearest(value):  # the double next to a Decimal: Fraction's division rounds once
    return float(Fraction(value))


def on_grid(value, bits):  # the multiple of 2^-bits next to a Decimal
    return float(Fraction(round(Fraction(value) * 2**bits), 2**bits))


def rest(value, high):
    return nearest(value - Decimal(high))


def exp_rows():
    for k in range(EXP_ENTRIES):
        power = (LN_2 * k / EXP_ENTRIES).exp() if k else Decimal(1)
        high = nearest(power)
        yield high, nearest(power / Decimal(high) - 1)


def significand(units):  # the number 2^45 * units bit patterns above 1.0, for -128 <= units < 128
    return 1 + units / 256 if units < 0 else 1 + units / 128


def log_rows():
    for i in range(LOG_ENTRIES):
        low, high = significand(i - ONE - 0.5), significand(i - ONE + 0.5)
        inverse = 1.0 if i == ONE else round(2 / (low + high) * 2**12) / 2**12
        value = -Decimal(inverse).ln() if i != ONE else Decimal(0)
        yield inverse, on_grid(value, 42), rest(value, on_grid(value, 42))


def table(name, comment, rows, columns):
    print(f"\n/* {comment} */\nstatic const double {name}[{len(rows)}][{columns}] = {{")
    for row in rows:
        print("    {" + ", ".join(x.hex() for x in row) + "},")
    print("};")


def main():
    print("""/* elementary_tables.h - the tables of elementary.c, written by tools/elementary_tables.py
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef ISG_ELEMENTARY_TABLES_H
#define ISG_ELEMENTARY_TABLES_H

/* clang-format off */
""")
    step = LN_2 / EXP_ENTRIES
    print("/* ln(2) / 128 in two parts; a whole number below 2^18 times the first is exact. */")
    print(f"static const double isg_exp_step[2] = {{{on_grid(step, 42).hex()}, "
          f"{rest(step, on_grid(step, 42)).hex()}}};")
    print("\n/* ln(2) in two parts, the first a multiple of 2^-42. */")
    print(f"static const double isg_ln_2_parts[2] = {{{on_grid(LN_2, 42).hex()}, "
          f"{rest(LN_2, on_grid(LN_2, 42)).hex()}}};")
    table("isg_exp_table", "2^(k/128) = {0} (1 + {1})", list(exp_rows()), 2)
    table("isg_log_table",
          "{0} is about 1 / z in interval i of z, and short; -ln {0} = {1} + {2}, {1} a multiple of 2^-42",
          list(log_rows()), 3)
    print("\n/* clang-format on */\n\n#endif")


main()
