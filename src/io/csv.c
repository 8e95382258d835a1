/* csv.c - rows of text fields with a separator
 *
 * SPDX-License-Identifier: MIT
 *
 * A state machine with five states and six kinds of bytes, written as a table. It can stop and
 * continue at any byte, so chunks of the file may end anywhere.
 */
#include "io/csv.h"

#include <assert.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

enum {
    CHUNK = ISG_BUFFER_BYTES,
    MOST_FIELD_BYTES = ISG_BUFFER_BYTES,
    MOST_FIELDS = 1 << 20,
    MOST_BLANK_LINES = 1 << 16, /* consecutive */
    MOST_ROW_BYTES = 15 << 20   /* with one more chunk, fits in a buffer of 16 MiB */
};

typedef enum kind { ORDINARY, SEPARATOR, QUOTE, RETURN, FEED, ZERO, N_KINDS } kind;

typedef enum state {
    START,    /* start of a field */
    PLAIN,    /* in a field without quotes */
    QUOTED,   /* between quotes */
    CLOSED,   /* after a quote that ends the field, or is the first of two */
    RETURNED, /* after a carriage return */
    N_STATES
} state;

typedef enum action { KEEP, OPEN, SKIP, END_FIELD, END_ROW, STRAY, JUNK, ALONE, BINARY } action;

/* clang-format off */
static const uint8_t actions[N_STATES][N_KINDS] = {
    /*             ORDINARY  SEPARATOR  QUOTE  RETURN  FEED     ZERO */
    [START]    = { KEEP,     END_FIELD, OPEN,  SKIP,   END_ROW, BINARY },
    [PLAIN]    = { KEEP,     END_FIELD, STRAY, SKIP,   END_ROW, BINARY },
    [QUOTED]   = { KEEP,     KEEP,      SKIP,  KEEP,   KEEP,    BINARY },
    [CLOSED]   = { JUNK,     END_FIELD, KEEP,  SKIP,   END_ROW, BINARY },
    [RETURNED] = { ALONE,    ALONE,     ALONE, ALONE,  END_ROW, BINARY },
};

/* Where an action refuses the byte, the next state is meaningless. */
static const uint8_t next_states[N_STATES][N_KINDS] = {
    /*             ORDINARY  SEPARATOR  QUOTE   RETURN    FEED    ZERO */
    [START]    = { PLAIN,    START,     QUOTED, RETURNED, START,  START },
    [PLAIN]    = { PLAIN,    START,     START,  RETURNED, START,  START },
    [QUOTED]   = { QUOTED,   QUOTED,    CLOSED, QUOTED,   QUOTED, START },
    [CLOSED]   = { START,    START,     QUOTED, RETURNED, START,  START },
    [RETURNED] = { START,    START,     START,  START,    START,  START },
};
/* clang-format on */

struct isg_csv {
    isg_source *source;
    uint8_t kinds[256];
    state state;
    size_t line;                 /* of the next byte */
    size_t row_line, quote_line; /* where the row and its last quoted field begin */
    bool has_quotes;             /* in this row */
    bool is_started, is_ended;   /* the source */

    /* Blank lines are held back until a row follows; while they are handed out, that row is held
       back in turn. */
    size_t n_blank, blank_line;
    bool is_blank, is_waiting;

    char *text; /* the fields of the row, each with a terminating zero */
    size_t text_length, text_capacity;
    size_t *starts; /* of the fields in text */
    size_t n_fields, starts_capacity;
    size_t field_start;

    size_t next, available; /* in the chunk */
    uint8_t chunk[CHUNK];
};

isg_status isg_csv_create(isg_csv **out, isg_source *source, char separator) {
    assert(separator != '"' && separator != '\r' && separator != '\n' && separator != '\0');
    isg_csv *csv = NULL;
    ISG_TRY(ISG_ALLOCATE(csv, 1));
    csv->source = source;
    csv->line = 1;
    csv->kinds[(uint8_t)separator] = SEPARATOR;
    csv->kinds['"'] = QUOTE;
    csv->kinds['\r'] = RETURN;
    csv->kinds['\n'] = FEED;
    csv->kinds['\0'] = ZERO;
    *out = csv;
    return ISG_OK;
}

static isg_status refuse(const isg_csv *csv, size_t line, const char *why) {
    return isg_fail(ISG_ERR_FORMAT, "%s: line %zu: %s", isg_source_name(csv->source), line, why);
}

static isg_status refuse_byte(const isg_csv *csv, action why) {
    static const char *const reasons[] = {
        [STRAY] = "a quote inside an unquoted field; quote the whole field and double the quote",
        [JUNK] = "expected a separator or the end of the line after a closing quote, found more",
        [ALONE] = "a carriage return without a line feed; lines must end in LF or CRLF",
        [BINARY] = "a NUL byte, so this is not text, or it is UTF-16 (convert it to UTF-8)",
    };
    return refuse(csv, csv->line, reasons[why]);
}

static isg_status check_field(const isg_csv *csv) {
    if (csv->text_length - csv->field_start > MOST_FIELD_BYTES)
        return refuse(csv, csv->row_line, "a field longer than 64 KiB");
    return ISG_OK;
}

static isg_status check_row(const isg_csv *csv) {
    if (csv->text_length > MOST_ROW_BYTES)
        return refuse(csv, csv->row_line, "a row longer than 15 MiB");
    return ISG_OK;
}

static isg_status end_field(isg_csv *csv) {
    ISG_TRY(check_field(csv));
    if (csv->n_fields == MOST_FIELDS)
        return refuse(csv, csv->row_line, "more than 1048576 fields");
    if (csv->n_fields == csv->starts_capacity) {
        void *grown = csv->starts;
        ISG_TRY(isg_grow(&grown, &csv->starts_capacity, csv->n_fields + 1, sizeof *csv->starts));
        csv->starts = grown;
    }
    csv->text[csv->text_length++] = '\0';
    csv->starts[csv->n_fields++] = csv->field_start;
    csv->field_start = csv->text_length;
    return ISG_OK;
}

/* Reads the next chunk; at the end of the source nothing is available. */
static isg_status refill(isg_csv *csv) {
    csv->next = csv->available = 0;
    ISG_TRY(isg_source_read_some(csv->source, csv->chunk, CHUNK, &csv->available));
    csv->is_ended = csv->available < CHUNK;
    if (!csv->is_started && csv->available >= 3 && memcmp(csv->chunk, "\xef\xbb\xbf", 3) == 0)
        csv->next = 3;
    csv->is_started = true;
    return ISG_OK;
}

isg_status isg_csv_allow_semicolons(isg_csv *csv) {
    assert(!csv->is_started && csv->kinds[','] == SEPARATOR);
    ISG_TRY(refill(csv));
    bool is_quoted = false, has_semicolon = false;
    for (size_t k = csv->next; k < csv->available; k++) {
        const uint8_t byte = csv->chunk[k];
        is_quoted = is_quoted != (byte == '"');
        if (!is_quoted && (byte == ',' || byte == '\n')) {
            has_semicolon = has_semicolon && byte == '\n';
            break;
        }
        has_semicolon = has_semicolon || (!is_quoted && byte == ';');
    }
    if (has_semicolon) {
        csv->kinds[','] = ORDINARY;
        csv->kinds[';'] = SEPARATOR;
    }
    return ISG_OK;
}

/* A byte adds at most one to the text (itself, or a terminating zero), and the end of the file one
   more, so the scan needs no checks of its own. */
static isg_status make_room(isg_csv *csv) {
    const size_t needed = csv->text_length + (csv->available - csv->next) + 1;
    if (needed <= csv->text_capacity)
        return ISG_OK;
    void *grown = csv->text;
    ISG_TRY(isg_grow(&grown, &csv->text_capacity, needed, 1));
    csv->text = grown;
    return ISG_OK;
}

/* Scans ordinary bytes and separators outside quotes, which is nearly everything, without leaving
   the registers; stops at any other byte. */
static void scan_plain(isg_csv *csv) {
    const uint8_t *const kinds = csv->kinds, *const chunk = csv->chunk;
    char *const text = csv->text;
    size_t *const starts = csv->starts;
    size_t next = csv->next, length = csv->text_length, start = csv->field_start;
    size_t n_fields = csv->n_fields;
    for (; next < csv->available; next++) {
        const uint8_t byte = chunk[next];
        if (kinds[byte] == ORDINARY) {
            text[length++] = (char)byte;
        } else if (kinds[byte] == SEPARATOR && n_fields < csv->starts_capacity &&
                   length - start <= MOST_FIELD_BYTES) {
            text[length++] = '\0';
            starts[n_fields++] = start;
            start = length;
        } else {
            break;
        }
    }
    csv->state = length > start ? PLAIN : START;
    csv->next = next;
    csv->text_length = length;
    csv->field_start = start;
    csv->n_fields = n_fields;
}

/* Scans up to the end of the row or of the chunk. */
static isg_status scan(isg_csv *csv, bool *is_row) {
    while (csv->next < csv->available) {
        if (csv->state == START || csv->state == PLAIN) {
            scan_plain(csv);
            if (csv->next == csv->available)
                break;
        }
        const uint8_t byte = csv->chunk[csv->next++];
        const kind what = (kind)csv->kinds[byte];
        const action todo = (action)actions[csv->state][what];
        csv->state = (state)next_states[csv->state][what];
        switch (todo) {
        case KEEP:
            csv->text[csv->text_length++] = (char)byte;
            break;
        case OPEN:
            csv->has_quotes = true;
            csv->quote_line = csv->line;
            break;
        case SKIP:
            break;
        case END_FIELD:
            ISG_TRY(end_field(csv));
            break;
        case END_ROW:
            csv->line++;
            *is_row = true;
            return end_field(csv);
        default:
            return refuse_byte(csv, todo);
        }
        csv->line += what == FEED;
    }
    return ISG_OK;
}

static isg_status finish(isg_csv *csv, bool *is_row) {
    if (csv->state == QUOTED)
        return refuse(csv, csv->quote_line, "a quote is opened here and never closed");
    if (csv->state == RETURNED)
        return refuse_byte(csv, ALONE);
    *is_row = csv->state != START || csv->n_fields > 0;
    csv->state = START;
    if (!*is_row)
        return ISG_OK;
    ISG_TRY(make_room(csv));
    ISG_TRY(end_field(csv));
    return check_row(csv);
}

static isg_status read_row(isg_csv *csv, bool *is_row) {
    csv->state = START;
    csv->n_fields = csv->text_length = csv->field_start = 0;
    csv->has_quotes = false;
    csv->row_line = csv->line;
    *is_row = false;
    while (!*is_row) {
        if (csv->next == csv->available) {
            if (csv->is_ended)
                return finish(csv, is_row);
            ISG_TRY(check_field(csv));
            ISG_TRY(check_row(csv));
            ISG_TRY(refill(csv));
        }
        ISG_TRY(make_room(csv));
        ISG_TRY(scan(csv, is_row));
    }
    return check_row(csv);
}

isg_status isg_csv_next(isg_csv *csv, bool *has_row) {
    bool is_row = csv->is_waiting;
    while (!csv->is_waiting) {
        ISG_TRY(read_row(csv, &is_row));
        if (!is_row || csv->text_length > 1 || csv->has_quotes || csv->n_fields > 1)
            break;
        if (csv->n_blank++ == 0)
            csv->blank_line = csv->row_line;
        if (csv->n_blank > MOST_BLANK_LINES)
            return refuse(csv, csv->blank_line, "more than 65536 blank lines begin here");
    }
    if (!is_row) {
        csv->n_blank = 0;
        ISG_TRY(isg_source_end(csv->source));
    }
    csv->is_blank = csv->n_blank > 0;
    csv->is_waiting = csv->is_blank;
    if (csv->is_blank) {
        csv->n_blank--;
        csv->blank_line++;
    }
    *has_row = is_row;
    return ISG_OK;
}

size_t isg_csv_count(const isg_csv *csv) {
    return csv->is_blank ? 1 : csv->n_fields;
}

const char *isg_csv_field(const isg_csv *csv, size_t k) {
    assert(k < isg_csv_count(csv));
    return csv->is_blank ? "" : csv->text + csv->starts[k];
}

size_t isg_csv_line(const isg_csv *csv) {
    return csv->is_blank ? csv->blank_line - 1 : csv->row_line;
}

void isg_csv_free(isg_csv *csv) {
    if (!csv)
        return;
    isg_release(csv->text);
    isg_release(csv->starts);
    isg_release(csv);
}
