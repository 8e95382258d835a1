/* convert_text.c - data sets of packages that come as text
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert.h"
#include "src/base/memory.h"
#include "src/io/arff.h"

static isg_status bad_line(const converter_input *input, size_t line, const char *what) {
    return isg_fail(ISG_ERR_FORMAT, "%s: line %zu: %s", input->name, line, what);
}

/* ---- ARFF: votes and supermarket ----------------------------------------------------------- */

/* Nominal columns, of which the last has the labels: `on` is 1, a missing value `missing`, else 0. */
static isg_status read_arff(converted *out, isg_arff *arff, const char *file, const char *on,
                            double missing) {
    const size_t cols = isg_arff_count(arff) - 1;
    size_t room = 0;
    if (cols == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected more columns than that of the labels", file);
    for (size_t i = 0; i < cols; i++) {
        const char *name = isg_arff_name(arff, i);
        ISG_TRY(isg_names_add(&out->units, name, strlen(name)));
    }
    out->cols = cols;
    for (;;) {
        bool has_row = false;
        ISG_TRY(isg_arff_next(arff, &has_row));
        if (!has_row)
            return ISG_OK;
        const char *label = isg_arff_field(arff, cols);
        if (!label)
            label = "";
        ISG_TRY(isg_names_add(&out->labels, label, strlen(label)));
        ISG_TRY(
            isg_grow((void **)&out->values, &room, (out->rows + 1) * cols, sizeof *out->values));
        double *row = out->values + out->rows++ * cols;
        for (size_t i = 0; i < cols; i++) {
            const char *value = isg_arff_field(arff, i);
            row[i] = !value ? missing : strcmp(value, on) == 0;
        }
    }
}

static isg_status convert_arff(converted *out, const converter_input *input, const char *on,
                               double missing) {
    isg_file *file = NULL;
    isg_source *source = NULL;
    isg_arff *arff = NULL;
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(isg_file_from_memory(&file, input->name, input->bytes, input->size));
    ISG_TRY_GOTO(isg_source_create(&source, file, ISG_PLAIN, 0, input->size));
    ISG_TRY_GOTO(isg_arff_create(&arff, source));
    ISG_TRY_GOTO(read_arff(out, arff, input->name, on, missing));
done:
    isg_arff_free(arff);
    isg_source_free(source);
    isg_file_close(file);
    return status;
}

isg_status convert_votes(converted *out, const converter_input *inputs) {
    return convert_arff(out, inputs, "y", (double)NAN);
}

isg_status convert_supermarket(converted *out, const converter_input *inputs) {
    return convert_arff(out, inputs, "t", 0); /* missing: not bought */
}

/* ---- Lines and words ------------------------------------------------------------------------ */

typedef struct piece {
    const char *text;
    size_t length;
} piece;

/* Cuts off what is before `end` or all of it; false if nothing is left. */
static bool cut(piece *rest, char end, piece *out) {
    if (!rest->text)
        return false;
    const char *at = memchr(rest->text, end, rest->length);
    *out = (piece){rest->text, at ? (size_t)(at - rest->text) : rest->length};
    *rest = at ? (piece){at + 1, rest->length - out->length - 1} : (piece){NULL, 0};
    return true;
}

/* The next line; none after the last line feed. */
static bool cut_line(piece *rest, piece *line) {
    if (rest->text && rest->length == 0)
        return false;
    if (!cut(rest, '\n', line))
        return false;
    if (line->length > 0 && line->text[line->length - 1] == '\r')
        line->length--;
    return true;
}

static bool is_piece(piece a, const char *text) {
    return a.length == strlen(text) && memcmp(a.text, text, a.length) == 0;
}

static int small_letter(char letter) {
    return (unsigned char)(letter >= 'A' && letter <= 'Z' ? letter + 'a' - 'A' : letter);
}

static int compare_letters(const void *a, const void *b) {
    const piece *x = a, *y = b;
    for (size_t k = 0; k < x->length && k < y->length; k++)
        if (small_letter(x->text[k]) != small_letter(y->text[k]))
            return small_letter(x->text[k]) - small_letter(y->text[k]);
    return (x->length > y->length) - (x->length < y->length);
}

static int compare_bytes(const void *a, const void *b) {
    const piece *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

typedef struct pieces {
    piece *list;
    size_t count, room;
} pieces;

static isg_status pieces_add(pieces *all, piece one) {
    ISG_TRY(isg_grow((void **)&all->list, &all->room, all->count + 1, sizeof *all->list));
    all->list[all->count++] = one;
    return ISG_OK;
}

/* Sorts those from `first` on and keeps one of each that occurs at least `least` times. */
static void pieces_unite(pieces *all, size_t first, size_t least,
                         int (*compare)(const void *, const void *)) {
    size_t kept = first;
    if (all->count > first)
        qsort(all->list + first, all->count - first, sizeof *all->list, compare);
    for (size_t k = first, next = first; k < all->count; k = next) {
        while (next < all->count && compare(&all->list[k], &all->list[next]) == 0)
            next++;
        if (next - k >= least)
            all->list[kept++] = all->list[k];
    }
    all->count = kept;
}

static size_t pieces_find(const pieces *all, piece one,
                          int (*compare)(const void *, const void *)) {
    const piece *found =
        all->count ? bsearch(&one, all->list, all->count, sizeof one, compare) : NULL;
    return found ? (size_t)(found - all->list) : SIZE_MAX;
}

static isg_status add_names(isg_names *names, const pieces *all) {
    for (size_t k = 0; k < all->count; k++)
        ISG_TRY(isg_names_add(names, all->list[k].text, all->list[k].length));
    return ISG_OK;
}

/* ---- Unifont: glyphs ------------------------------------------------------------------------ */

enum { SIDE = 16 };

/* Classes by ranges of code points, which are blocks of Unicode; whatever is in none is "other", and what
   is_box() finds is "box". */
static const struct {
    uint32_t first, last;
    const char *script;
} scripts[] = {
    {0x0600, 0x06ff, "Arabic"},     {0x0700, 0x074f, "Syriac"},    {0x0750, 0x077f, "Arabic"},
    {0x0860, 0x086f, "Syriac"},     {0x0870, 0x08ff, "Arabic"},    {0x0900, 0x097f, "Devanagari"},
    {0x0980, 0x09ff, "Bengali"},    {0x0a00, 0x0a7f, "Gurmukhi"},  {0x0a80, 0x0aff, "Gujarati"},
    {0x0b00, 0x0b7f, "Oriya"},      {0x0b80, 0x0bff, "Tamil"},     {0x0c00, 0x0c7f, "Telugu"},
    {0x0c80, 0x0cff, "Kannada"},    {0x0d00, 0x0d7f, "Malayalam"}, {0x0d80, 0x0dff, "Sinhala"},
    {0x1000, 0x109f, "Myanmar"},    {0x1100, 0x11ff, "Hangul"},    {0x1200, 0x139f, "Ethiopic"},
    {0x1400, 0x167f, "Canadian"},   {0x1780, 0x17ff, "Khmer"},     {0x1800, 0x18af, "Mongolian"},
    {0x18b0, 0x18ff, "Canadian"},   {0x19e0, 0x19ff, "Khmer"},     {0x1b00, 0x1b7f, "Balinese"},
    {0x2d80, 0x2ddf, "Ethiopic"},   {0x2e80, 0x2fdf, "Han"},       {0x3040, 0x309f, "Hiragana"},
    {0x30a0, 0x30ff, "Katakana"},   {0x3100, 0x312f, "Bopomofo"},  {0x3130, 0x318f, "Hangul"},
    {0x31a0, 0x31bf, "Bopomofo"},   {0x31f0, 0x31ff, "Katakana"},  {0x3400, 0x4dbf, "Han"},
    {0x4e00, 0x9fff, "Han"},        {0xa000, 0xa4cf, "Yi"},        {0xa500, 0xa63f, "Vai"},
    {0xa8e0, 0xa8ff, "Devanagari"}, {0xa960, 0xa97f, "Hangul"},    {0xa980, 0xa9df, "Javanese"},
    {0xa9e0, 0xa9ff, "Myanmar"},    {0xaa60, 0xaa7f, "Myanmar"},   {0xab00, 0xab2f, "Ethiopic"},
    {0xac00, 0xd7ff, "Hangul"},     {0xf900, 0xfaff, "Han"},       {0xfb50, 0xfdcf, "Arabic"},
    {0xfdf0, 0xfdff, "Arabic"},     {0xfe70, 0xfeff, "Arabic"},
};

static const char *script_of(uint32_t point) {
    for (size_t k = 0; k < sizeof scripts / sizeof scripts[0]; k++)
        if (point >= scripts[k].first && point <= scripts[k].last)
            return scripts[k].script;
    return "other";
}

/* Where Unicode has no character, Unifont draws the code point in a box; invisible characters are an
   abbreviation in a dashed box. These glyphs say nothing about a script. */
static bool is_box(const char *digits) {
    return (memcmp(digits, "00007FFE", 8) == 0 && memcmp(digits + 28, "7FFE7FFE", 8) == 0 &&
            memcmp(digits + 56, "7FFE0000", 8) == 0) ||
           (memcmp(digits, "AAAA", 4) == 0 && memcmp(digits + 60, "5555", 4) == 0);
}

static int digit_of(char letter) {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                            : -1;
}

/* "4E00:" and 64 digits for a glyph of 16 x 16, or 32 for one half as wide, which is left out. */
static isg_status take_glyph(converted *out, const converter_input *input, size_t number,
                             piece line, size_t *room) {
    piece point_text = {0};
    uint32_t point = 0;
    if (!cut(&line, ':', &point_text) || !line.text || point_text.length < 4 ||
        point_text.length > 6)
        return bad_line(input, number, "expected a code point and a colon");
    for (size_t k = 0; k < point_text.length; k++) {
        if (digit_of(point_text.text[k]) < 0)
            return bad_line(input, number, "expected a code point in hexadecimal digits");
        point = point << 4 | (uint32_t)digit_of(point_text.text[k]);
    }
    if (line.length == SIDE * SIDE / 8)
        return ISG_OK;
    if (line.length != SIDE * SIDE / 4)
        return bad_line(input, number, "expected 32 or 64 digits");
    ISG_TRY(isg_grow((void **)&out->bits, room, (out->rows + 1) * SIDE * SIDE, 1));
    uint8_t *pixels = out->bits + out->rows++ * SIDE * SIDE;
    for (size_t k = 0; k < line.length; k++) {
        const int digit = digit_of(line.text[k]);
        if (digit < 0)
            return bad_line(input, number, "expected hexadecimal digits");
        for (size_t bit = 0; bit < 4; bit++)
            pixels[4 * k + bit] = digit >> (3 - bit) & 1;
    }
    char id[16];
    const int length = snprintf(id, sizeof id, "U+%04X", (unsigned)point);
    const char *script = is_box(line.text) ? "box" : script_of(point);
    ISG_TRY(isg_names_add(&out->ids, id, (size_t)length));
    return isg_names_add(&out->labels, script, strlen(script));
}

isg_status convert_glyphs(converted *out, const converter_input *inputs) {
    piece rest = {(const char *)inputs->bytes, inputs->size}, line;
    size_t room = 0;
    out->cols = SIDE * SIDE;
    out->height = out->width = SIDE;
    for (size_t number = 1; cut_line(&rest, &line); number++)
        ISG_TRY(take_glyph(out, inputs, number, line, &room));
    return out->rows ? ISG_OK : bad_line(inputs, 1, "expected glyphs of 16 x 16");
}

/* ---- Mutations: ccle ------------------------------------------------------------------------ */

/* Field number `wanted` of a line of tabs, from 0. */
static bool field_at(piece line, size_t wanted, piece *out) {
    for (size_t k = 0; cut(&line, '\t', out); k++)
        if (k == wanted)
            return out->length > 0;
    return false;
}

/* What a line of the table says: this gene is mutated in this cell line. */
typedef struct mutations {
    size_t gene_field, line_field;
    pieces genes, lines;
    piece rows; /* the text below the header */
} mutations;

static isg_status take_header(mutations *my, const converter_input *input) {
    piece header, name;
    my->rows = (piece){(const char *)input->bytes, input->size};
    my->gene_field = my->line_field = SIZE_MAX;
    if (!cut_line(&my->rows, &header))
        return bad_line(input, 1, "expected a header");
    for (size_t k = 0; cut(&header, '\t', &name); k++) {
        if (is_piece(name, "Hugo_Symbol"))
            my->gene_field = k;
        if (is_piece(name, "Tumor_Sample_Barcode"))
            my->line_field = k;
    }
    return my->gene_field == SIZE_MAX || my->line_field == SIZE_MAX
               ? bad_line(input, 1, "expected columns Hugo_Symbol and Tumor_Sample_Barcode")
               : ISG_OK;
}

static isg_status take_mutations(mutations *my, const converter_input *input) {
    piece rest = my->rows, row, gene, line;
    for (size_t number = 2; cut_line(&rest, &row); number++) {
        if (!field_at(row, my->gene_field, &gene) || !field_at(row, my->line_field, &line))
            return bad_line(input, number, "expected a gene and a cell line");
        ISG_TRY(pieces_add(&my->genes, gene));
        ISG_TRY(pieces_add(&my->lines, line));
    }
    pieces_unite(&my->genes, 0, 1, compare_bytes);
    pieces_unite(&my->lines, 0, 1, compare_bytes);
    return ISG_OK;
}

/* "CCK81_LARGE_INTESTINE": the name of the cell line, then its tissue. */
static isg_status add_tissues(converted *out, const mutations *my) {
    for (size_t a = 0; a < my->lines.count; a++) {
        piece tissue = my->lines.list[a], name;
        cut(&tissue, '_', &name);
        ISG_TRY(isg_names_add(&out->labels, tissue.text ? tissue.text : "", tissue.length));
    }
    return ISG_OK;
}

static isg_status fill_mutations(converted *out, const mutations *my) {
    piece rest = my->rows, row, gene, line;
    ISG_TRY(add_names(&out->units, &my->genes));
    ISG_TRY(add_names(&out->ids, &my->lines));
    ISG_TRY(add_tissues(out, my));
    ISG_TRY(converted_set_bits(out, my->lines.count, my->genes.count));
    while (cut_line(&rest, &row))
        if (field_at(row, my->gene_field, &gene) && field_at(row, my->line_field, &line))
            out->bits[pieces_find(&my->lines, line, compare_bytes) * out->cols +
                      pieces_find(&my->genes, gene, compare_bytes)] = 1;
    return ISG_OK;
}

isg_status convert_ccle(converted *out, const converter_input *inputs) {
    mutations my = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(take_header(&my, inputs));
    ISG_TRY_GOTO(take_mutations(&my, inputs));
    ISG_TRY_GOTO(fill_mutations(out, &my));
done:
    isg_release(my.genes.list);
    isg_release(my.lines.list);
    return status;
}

/* ---- Mails: spam ---------------------------------------------------------------------------- */

/* Runs of ASCII letters of these lengths, in the subject and the body of at least so many mails. */
enum { SHORTEST_WORD = 3, LONGEST_WORD = 20, FEWEST_MAILS = 18 };

enum { TAR_BLOCK = 512, TAR_NAME = 100, TAR_SIZE = 124, TAR_SIZE_DIGITS = 11, TAR_TYPE = 156 };

typedef struct mail {
    piece id, subject, body;
} mail;

typedef struct mails {
    mail *list;
    size_t count, room;
} mails;

/* The next file of a tar archive; *has_file is false after the last. */
static isg_status next_file(const converter_input *input, size_t *at, piece *name, piece *content,
                            bool *has_file) {
    const char *head = (const char *)input->bytes + *at;
    const size_t left = input->size - *at;
    size_t size = 0;
    *has_file = left >= TAR_BLOCK && head[0] != '\0';
    if (!*has_file)
        return left > 0 && left < TAR_BLOCK
                   ? isg_fail(ISG_ERR_FORMAT, "%s: the archive is cut off", input->name)
                   : ISG_OK;
    for (size_t k = 0; k < TAR_SIZE_DIGITS; k++) {
        const char letter = head[TAR_SIZE + k];
        if (k > 0 && (letter == ' ' || letter == '\0'))
            break;
        if (letter < '0' || letter > '7')
            return isg_fail(ISG_ERR_FORMAT, "%s: byte %zu: this is no header of a tar archive",
                            input->name, *at);
        size = size << 3 | (size_t)(letter - '0');
    }
    if (size > left - TAR_BLOCK)
        return isg_fail(ISG_ERR_FORMAT, "%s: the archive is cut off", input->name);
    const char *end = memchr(head, '\0', TAR_NAME);
    *name = (piece){head, end ? (size_t)(end - head) : TAR_NAME};
    if (head[TAR_TYPE] != '0' && head[TAR_TYPE] != '\0')
        *name = (piece){"", 0}; /* a directory or the like */
    *content = (piece){head + TAR_BLOCK, size};
    const size_t blocks = (size + TAR_BLOCK - 1) / TAR_BLOCK + 1;
    *at += blocks * TAR_BLOCK < left ? blocks * TAR_BLOCK : left;
    return ISG_OK;
}

/* "package/data/spam-1/00001.7848.txt" has the id spam-1/00001.7848. */
static isg_status add_mail(mails *all, piece name, piece content) {
    static const char before[] = "package/data/", after[] = ".txt";
    const size_t affix = sizeof before - 1 + sizeof after - 1;
    piece line, rest = content;
    if (name.length <= affix || memcmp(name.text, before, sizeof before - 1) != 0 ||
        memcmp(name.text + name.length - (sizeof after - 1), after, sizeof after - 1) != 0)
        return ISG_OK;
    mail one = {.id = {name.text + sizeof before - 1, name.length - affix}};
    while (cut_line(&rest, &line) && line.length > 0)
        if (line.length > 8 &&
            compare_letters(&(piece){line.text, 8}, &(piece){"subject:", 8}) == 0)
            one.subject = (piece){line.text + 8, line.length - 8};
    one.body = rest;
    ISG_TRY(isg_grow((void **)&all->list, &all->room, all->count + 1, sizeof *all->list));
    all->list[all->count++] = one;
    return ISG_OK;
}

static int compare_mails(const void *a, const void *b) {
    return compare_bytes(&((const mail *)a)->id, &((const mail *)b)->id);
}

static bool is_letter(char letter) {
    return small_letter(letter) >= 'a' && small_letter(letter) <= 'z';
}

static isg_status add_words(pieces *words, piece text) {
    for (size_t k = 0; k < text.length;) {
        const size_t first = k;
        while (k < text.length && is_letter(text.text[k]))
            k++;
        if (k - first >= SHORTEST_WORD && k - first <= LONGEST_WORD)
            ISG_TRY(pieces_add(words, (piece){text.text + first, k - first}));
        k += k == first;
    }
    return ISG_OK;
}

/* Adds the words of a mail, one of each. */
static isg_status words_of(const mail *one, pieces *words) {
    const size_t first = words->count;
    ISG_TRY(add_words(words, one->subject));
    ISG_TRY(add_words(words, one->body));
    pieces_unite(words, first, 1, compare_letters);
    return ISG_OK;
}

static isg_status read_mails(mails *all, const converter_input *input) {
    piece name = {0}, content = {0};
    bool has_file = true;
    for (size_t at = 0; has_file;) {
        ISG_TRY(next_file(input, &at, &name, &content, &has_file));
        if (has_file)
            ISG_TRY(add_mail(all, name, content));
    }
    if (all->count == 0)
        return isg_fail(ISG_ERR_FORMAT, "%s: expected mails, found none", input->name);
    qsort(all->list, all->count, sizeof *all->list, compare_mails);
    return ISG_OK;
}

static isg_status fill_mails(converted *out, const mails *all, const pieces *words, pieces *here) {
    for (size_t i = 0; i < words->count; i++) {
        char word[LONGEST_WORD];
        for (size_t k = 0; k < words->list[i].length; k++)
            word[k] = (char)small_letter(words->list[i].text[k]);
        ISG_TRY(isg_names_add(&out->units, word, words->list[i].length));
    }
    ISG_TRY(converted_set_bits(out, all->count, words->count));
    for (size_t a = 0; a < all->count; a++) {
        const piece id = all->list[a].id;
        const bool is_spam = id.length > 4 && memcmp(id.text, "spam", 4) == 0;
        ISG_TRY(isg_names_add(&out->ids, id.text, id.length));
        ISG_TRY(isg_names_add(&out->labels, is_spam ? "spam" : "ham", is_spam ? 4 : 3));
        here->count = 0;
        ISG_TRY(words_of(&all->list[a], here));
        for (size_t k = 0; k < here->count; k++) {
            const size_t i = pieces_find(words, here->list[k], compare_letters);
            if (i != SIZE_MAX)
                out->bits[a * out->cols + i] = 1;
        }
    }
    return ISG_OK;
}

isg_status convert_spam(converted *out, const converter_input *inputs) {
    mails all = {0};
    pieces words = {0}, here = {0};
    isg_status status = ISG_OK;
    ISG_TRY_GOTO(read_mails(&all, inputs));
    for (size_t a = 0; a < all.count; a++)
        ISG_TRY_GOTO(words_of(&all.list[a], &words));
    pieces_unite(&words, 0, FEWEST_MAILS, compare_letters);
    ISG_TRY_GOTO(fill_mails(out, &all, &words, &here));
done:
    isg_release(all.list);
    isg_release(words.list);
    isg_release(here.list);
    return status;
}
