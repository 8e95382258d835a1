/* command.h - what a verb is: tables that drive parsing, help, manual page and completion
 *
 * SPDX-License-Identifier: MIT
 *
 * A verb is one file cmd_NAME.c that ends in one `const command`, listed in commands.c. Texts are
 * plain ASCII; a newline in a description starts a new paragraph.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common.h"
#include "cli/failure.h"
#include "cli/result.h"

/* How a value is read, and the type of the field it is stored in. */
typedef enum option_kind {
    OPTION_FLAG,      /* bool, no value */
    OPTION_TEXT,      /* const char *, borrowed from the command line; never empty */
    OPTION_FILE,      /* the same, completed as a file name */
    OPTION_DIRECTORY, /* the same, completed as a directory */
    OPTION_CHOICE,    /* an enum, whose values are places in `choices` */
    OPTION_SIZE,      /* size_t */
    OPTION_UINT64,    /* uint64_t */
    OPTION_DOUBLE     /* double, always finite */
} option_kind;

typedef struct option_entry {
    const char *name;  /* long name without the dashes, "" for none; NULL ends a table */
    const char *alias; /* a former long name, still understood but shown nowhere; NULL for none */
    char letter;       /* short name, 0 for none */
    option_kind kind;
    const char *metavar;   /* how help writes the value: "FILE" */
    const char *help;      /* one sentence without a trailing period */
    const char *otherwise; /* the default as help shows it: "all cores"; NULL to show the field's
                              default */
    const char *const *choices; /* ends with NULL; for other kinds, what completion offers */
    double low, high;  /* range of a number, ends included; HUGE_VAL: no limit; 0, 0: any */
    bool is_above_low; /* then `low` itself is not allowed */
    bool is_required;
    bool is_hidden; /* parsed, but shown nowhere */
    size_t offset;  /* of the field in the struct the table fills */
} option_entry;

typedef struct argument_entry {
    const char *name; /* "DATA"; NULL ends a table */
    const char *help;
    const char *const *choices; /* NULL: anything; ends with NULL */
    bool is_open;               /* `choices` are only the values with a name of their own */
    bool is_file;               /* completed as a file name, beside the choices */
    bool is_optional;           /* only at the end */
    bool is_repeated;           /* last one only: takes all following arguments too */
} argument_entry;

typedef struct example {
    const char *line; /* the full command line; NULL ends a table */
    const char *what;
} example;

struct invocation;

typedef struct command {
    const char *group;       /* "data" of "data get"; NULL for a verb of one word */
    const char *name;        /* "get" */
    const char *section;     /* heading in the overview; neighbors with the same one share it */
    const char *summary;     /* what it does, one short line without a trailing period */
    const char *description; /* full help: paragraphs */
    const argument_entry *arguments; /* the tables may be NULL */
    const option_entry *options;
    const example *examples;
    const result_entry *results; /* what `run` ends in, by result_show() */
    size_t settings_bytes;       /* size of the struct that `options` fills */
    /* Sets the defaults in a struct of zeros; NULL if zeros are right. Help and manual show them, so
       that a default of the library need not be repeated here. */
    void (*defaults)(void *settings);
    exit_code (*run)(const struct invocation *call);
    bool
        is_divided; /* among the ranks of isinglass-mpi, which all call run(); else only rank 0 does */
} command;

/* Ends with NULL; in the order in which a user meets them. */
extern const command *const commands[];

/* The options that every verb takes; they fill a common_settings. */
extern const option_entry common_options[];

/* One parsed command line. */
typedef struct invocation {
    const command *verb; /* NULL if no verb was given */
    const char *group;   /* first word of a two-word verb, even if the second is missing */
    common_settings common;
    void *settings;         /* the struct filled from verb->options */
    const char **arguments; /* n_arguments texts, borrowed from the command line */
    size_t n_arguments;
    char *command_line;           /* the command line as one text, stored in the files that a verb
                                     writes */
    uint64_t common_given, given; /* bit i: option i of the table was typed */
    uint64_t given_by_alias;      /* bit i: under its former name */
    output *out;                  /* results; written to stdout once run() has returned */
} invocation;

/* Whether the user typed the option of this name, the command's own or a common one. */
bool call_has_option(const invocation *call, const char *name);

/* As fail_status(), but if an argument is refused by the name of an option of the verb, "gamma: ...", it is
   named as it is typed. */
exit_code call_fail_status(const invocation *call, isg_status status);

#endif
