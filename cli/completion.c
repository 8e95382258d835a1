/* completion.c - completion for bash, from the tables of command.h
 *
 * SPDX-License-Identifier: MIT
 *
 * The script needs bash 4 and nothing else. Its cases are generated; the frame around them is
 * below, as it stands.
 */
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/options.h"

/* bash also splits words at ':' and '=': the first loop joins them again, and the end removes the
   part of the word that bash has kept. */
static const char frame_start[] =
    "# Completion of isinglass for bash, written by isinglass --print-completion.\n"
    "_isinglass() {\n"
    "    local -a words=()\n"
    "    local i is_open=0 word\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ ${#words[@]} -gt 1 && ($word == [:=]* || $is_open == 1) ]]; then\n"
    "            words[-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "        is_open=0\n"
    "        [[ $word == *[:=] ]] && is_open=1\n"
    "    done\n"
    "    local current=${words[-1]} tail=${COMP_WORDS[COMP_CWORD]}\n"
    "    [[ $tail == [:=] ]] && tail=''\n"
    "    local kept=${current%\"$tail\"} prefix='' verb='' value_of='' choices='' files=''\n"
    "    local last=$((${#words[@]} - 1)) n=0\n";

static const char frame_middle[] =
    "    for ((i = 1; i < last; i++)); do\n"
    "        word=${words[i]}\n"
    "        if [[ -n $value_of ]]; then\n"
    "            value_of=''\n"
    "        elif [[ $word == -* ]]; then\n"
    "            [[ $with_value == *\" $word \"* ]] && value_of=$word\n"
    "        elif [[ -z $verb || $groups == *\" $verb \"* ]]; then\n"
    "            verb=${verb:+$verb }$word\n"
    "        else\n"
    "            n=$((n + 1))\n"
    "        fi\n"
    "    done\n"
    "    if [[ -z $value_of && $current == --*=* ]]; then\n"
    "        value_of=${current%%=*}\n"
    "        prefix=$value_of=\n"
    "        current=${current#*=}\n"
    "    fi\n"
    "    if [[ -n $value_of ]]; then\n"
    "        case $verb:$value_of in\n";

static const char frame_end[] =
    "    local -a found=()\n"
    "    COMPREPLY=()\n"
    "    if [[ -n $choices ]]; then\n"
    "        mapfile -t found < <(compgen -W \"$choices\" -- \"$current\")\n"
    "        COMPREPLY+=(\"${found[@]}\")\n"
    "    fi\n"
    "    if [[ -n $files ]]; then\n"
    "        mapfile -t found < <(compgen \"$files\" -- \"$current\")\n"
    "        COMPREPLY+=(\"${found[@]}\")\n"
    "        compopt -o filenames 2>/dev/null\n"
    "    fi\n"
    "    for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do\n"
    "        word=$prefix${COMPREPLY[i]}\n"
    "        COMPREPLY[i]=${word#\"$kept\"}\n"
    "    done\n"
    "    return 0\n"
    "}\n"
    "complete -F _isinglass isinglass\n";

static void print_words(output *out, const char *const *words) {
    for (; *words; words++)
        output_print(out, " %s", *words);
}

/* Verbs and options that a word of the command line can mean. */
static void print_sets(output *out) {
    output_print(out, "    local groups=' ");
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->group)
            output_print(out, "%s ", commands[i]->group);
    output_print(out, "' with_value=' ");
    for (size_t i = 0; i == 0 || commands[i - 1]; i++)
        for (const option_entry *o = commands[i] ? commands[i]->options : common_options;
             o && o->name; o++) {
            if (o->kind == OPTION_FLAG)
                continue;
            output_print(out, "--%s ", o->name);
            if (o->letter)
                output_print(out, "-%c ", o->letter);
        }
    output_print(out, "'\n");
}

/* What may follow each option that takes a value; `verb` is a pattern. */
static void print_values(output *out, const char *verb, const option_entry *table) {
    for (; table && table->name; table++) {
        const bool is_file = table->kind == OPTION_FILE, is_choice = table->choices != NULL;
        if (!is_file && !is_choice && table->kind != OPTION_DIRECTORY)
            continue;
        output_print(out, "        %s:--%s", verb, table->name);
        if (table->letter)
            output_print(out, " | %s:-%c", verb, table->letter);
        output_print(out, ")");
        if (is_choice) {
            output_print(out, " choices='");
            print_words(out, table->choices);
            output_print(out, is_file ? "';" : "'");
        }
        if (is_file || table->kind == OPTION_DIRECTORY)
            output_print(out, " files=%s", is_file ? "-f" : "-d");
        output_print(out, " ;;\n");
    }
}

static void print_names(output *out, const option_entry *table) {
    for (; table && table->name; table++)
        if (!table->is_hidden && table->name[0])
            output_print(out, " --%s", table->name);
}

/* The words that can follow "isinglass" or "isinglass GROUP". */
static void print_next_words(output *out, const char *group) {
    for (size_t i = 0; commands[i]; i++) {
        const command *verb = commands[i];
        if (group && verb->group && strcmp(verb->group, group) == 0)
            output_print(out, " %s", verb->name);
        else if (!group && !verb->group)
            output_print(out, " %s", verb->name);
        else if (!group && (i == 0 || !commands[i - 1]->group ||
                            strcmp(commands[i - 1]->group, verb->group) != 0))
            output_print(out, " %s", verb->group);
    }
}

static void print_arguments(output *out, const command *verb) {
    char title[TITLE_BYTES];
    size_t n = 0;
    command_title(verb, title);
    for (const argument_entry *a = verb->arguments; a && a->name; a++, n++) {
        if (!a->choices && !a->is_file)
            continue;
        output_print(out, "        '%s:%zu'%s%s%s)", title, n, a->is_repeated ? " | '" : "",
                     a->is_repeated ? title : "", a->is_repeated ? ":'*" : "");
        if (a->choices) {
            output_print(out, " choices='");
            print_words(out, a->choices);
            output_print(out, a->is_file ? "';" : "'");
        }
        output_print(out, a->is_file ? " files=-f ;;\n" : " ;;\n");
    }
}

void print_completion(output *out) {
    char title[TITLE_BYTES], pattern[TITLE_BYTES + 2];
    output_print(out, "%s", frame_start);
    print_sets(out);
    output_print(out, "%s", frame_middle);
    for (size_t i = 0; commands[i]; i++) {
        snprintf(pattern, sizeof pattern, "'%s'", command_title(commands[i], title));
        print_values(out, pattern, commands[i]->options);
    }
    print_values(out, "*", common_options);
    output_print(out, "        esac\n    elif [[ $current == -* ]]; then\n        choices='");
    print_names(out, common_options);
    output_print(out, "'\n        case $verb in\n");
    for (size_t i = 0; commands[i]; i++) {
        if (!commands[i]->options)
            continue;
        output_print(out, "        '%s') choices+='", command_title(commands[i], title));
        print_names(out, commands[i]->options);
        output_print(out, "' ;;\n");
    }
    output_print(out, "        esac\n    else\n        case $verb:$n in\n        :0) choices='");
    print_next_words(out, NULL);
    output_print(out, "' ;;\n");
    for (size_t i = 0; commands[i]; i++) {
        const char *group = commands[i]->group;
        if (group &&
            (i == 0 || !commands[i - 1]->group || strcmp(commands[i - 1]->group, group) != 0)) {
            output_print(out, "        '%s:0') choices='", group);
            print_next_words(out, group);
            output_print(out, "' ;;\n");
        }
        print_arguments(out, commands[i]);
    }
    output_print(out, "        esac\n    fi\n%s", frame_end);
}
