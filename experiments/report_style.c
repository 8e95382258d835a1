/* report_style.c - how the report looks: on paper, on a phone, by day and by night
 *
 * SPDX-License-Identifier: MIT
 *
 * Fonts are those of the reader's system. Pictures are drawn on white and keep a white card in the
 * dark. Below 720 pixels a row of the table of claims becomes a card.
 */
#include "experiments/report_parts.h"

static const char colors[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c2127;--soft:#555e68;--line:#d8dde3;"
    "--tint:#f4f6f8;--link:#0b57a4;--holds:#0f5f2c;--holds-tint:#e2f4e7;--differs:#9c1422;"
    "--differs-tint:#fde8e8;--erratum:#6d4200;--erratum-tint:#fdf0d5}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e3e7ec;"
    "--soft:#a9b3be;--line:#363d46;--tint:#1f242a;--link:#86bdf7;--holds:#86dfa3;"
    "--holds-tint:#143320;--differs:#ffaaa5;--differs-tint:#461a1e;--erratum:#f0c777;"
    "--erratum-tint:#3a2c0e}}\n";

static const char text[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{max-width:72rem;margin:0 auto;padding:2.5rem 1.5rem 4rem;background:var(--paper);"
    "color:var(--ink);font:1.0625rem/1.6 Charter,\"Bitstream Charter\",\"Sitka Text\",Cambria,"
    "Georgia,\"DejaVu Serif\",serif}\n"
    "p,figcaption{max-width:46rem}\n"
    "a{color:var(--link);text-decoration-thickness:.06em;text-underline-offset:.15em}\n"
    "h1,h2,h3,h4,nav,table,dl,.kicker,.counts,.about,.verdict,.tally{font-family:system-ui,"
    "-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,\"DejaVu Sans\",sans-serif}\n"
    "h1,h2,h3{line-height:1.25;text-wrap:balance}\n"
    "h1{font-size:1.9rem;margin:.2rem 0 1.2rem;max-width:46rem;letter-spacing:-.01em}\n"
    "h2{font-size:1.4rem;margin:3.2rem 0 1rem;padding-top:.9rem;border-top:2px solid var(--ink)}\n"
    "h3{font-size:1.15rem;margin:0 0 1rem}\n"
    "h4{font-size:.9rem;margin:1.6rem 0 .5rem}\n"
    ".kicker{margin:0;font-size:.85rem;color:var(--soft)}\n"
    ".citation,.note{font-size:.95rem;color:var(--soft)}\n"
    "code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\","
    "monospace;font-size:.85em;overflow-wrap:anywhere}\n"
    ".command{max-width:100%;margin:.5rem 0;padding:.6rem .8rem;background:var(--tint);"
    "border-left:3px solid var(--line);white-space:pre-wrap}\n"
    ".command::before{content:\"$ \";color:var(--soft)}\n"
    "nav h2{font-size:1rem;margin:2rem 0 .4rem;padding:0;border:0}\n"
    "nav ol{margin:0;padding-left:1.6rem;font-size:.95rem}\n"
    "nav li{margin:.2rem 0}\n"
    ".tally{margin-left:.4rem;font-size:.85rem;color:var(--soft)}\n"
    ".tally .differs{color:var(--differs);font-weight:600}\n";

static const char claims[] =
    ".counts{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:.8rem;"
    "list-style:none;margin:1.2rem 0;padding:0}\n"
    ".counts li{padding:.7rem .9rem;border:1px solid var(--line);border-top-width:4px;"
    "font-size:.95rem;line-height:1.4}\n"
    ".counts .differs{border-top-color:var(--differs)}\n"
    ".counts .holds{border-top-color:var(--holds)}\n"
    ".counts .untestable,.counts .missing{border-top-color:var(--soft)}\n"
    ".count{font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums}\n"
    ".meaning{display:block;color:var(--soft);font-size:.82rem}\n"
    "table{border-collapse:collapse;width:100%;font-size:.85rem;line-height:1.45;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{padding:.4rem 0;text-align:left;color:var(--soft)}\n"
    "th,td{padding:.55rem .6rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top;overflow-wrap:break-word}\n"
    "thead th{border-bottom:2px solid var(--ink);white-space:nowrap}\n"
    ".claims tbody th{font-weight:400;width:26%}\n"
    ".claims td:nth-child(2){width:6.5rem}\n"
    ".claims td:nth-child(4),.claims td:nth-child(5){width:15%}\n"
    ".claims .ours{font-weight:600}\n"
    ".claim-differs{background:var(--differs-tint)}\n"
    ".claim-differs td:first-child{box-shadow:inset 4px 0 var(--differs)}\n"
    "tr:target{outline:2px solid var(--link);outline-offset:-2px}\n"
    ".verdict{display:inline-block;padding:0 .45em;border-radius:.2em;font-size:.8rem;"
    "font-weight:600;white-space:nowrap;background:var(--tint);color:var(--soft)}\n"
    ".verdict.holds{background:var(--holds-tint);color:var(--holds)}\n"
    ".verdict.differs{background:var(--differs-tint);color:var(--differs);"
    "box-shadow:inset 0 0 0 1px var(--differs)}\n"
    ".verdict.erratum{background:var(--erratum-tint);color:var(--erratum);text-decoration:none;"
    "box-shadow:inset 0 0 0 1px var(--erratum)}\n"
    ".to-figure{white-space:nowrap}\n"
    ".about{margin:0;padding:0;list-style:none;font-size:.9rem;line-height:1.5}\n"
    ".about li{margin:.5rem 0;max-width:56rem}\n"
    ".about .values{display:block;color:var(--soft)}\n";

static const char results[] =
    ".result{margin:0 0 3rem;padding-top:1.2rem;border-top:1px solid var(--line)}\n"
    ".result:first-of-type{border-top:0;padding-top:0}\n"
    "figure{margin:0}\n"
    ".picture{background:#fff;border:1px solid var(--line);padding:.5rem;text-align:center}\n"
    "img{display:block;max-width:100%;height:auto;margin:0 auto}\n"
    "figcaption{margin-top:.8rem;font-size:.95rem;line-height:1.5}\n"
    ".missing{color:var(--soft)}\n"
    ".parameters{display:flex;flex-wrap:wrap;gap:.3rem 1.6rem;margin:.6rem 0;font-size:.85rem}\n"
    ".parameters div{display:flex;gap:.5rem}\n"
    "dt{color:var(--soft)}\n"
    "dd{margin:0;font-variant-numeric:tabular-nums}\n"
    ".provenance{font-size:.9rem;display:grid;grid-template-columns:max-content 1fr;"
    "gap:.35rem 1.4rem}\n"
    ".wide{overflow-x:auto}\n"
    ".files{width:auto;min-width:min(100%,40rem)}\n"
    ".files .size{white-space:nowrap;text-align:right}\n";

/* The names of the columns, which stand above a table, stand in front of every entry of a card. */
static const char phone[] =
    "@media screen and (max-width:720px){\n"
    "body{padding:1.2rem 1rem 3rem;font-size:1rem}\n"
    "h1{font-size:1.45rem}\nh2{font-size:1.25rem;margin-top:2.4rem}\n"
    ".counts{grid-template-columns:1fr 1fr}\n"
    ".claims,.claims caption,.claims tbody,.claims tr,.claims td,.claims th{display:block}\n"
    ".claims thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\n"
    ".claims tr{margin:0 0 .9rem;padding:.6rem .8rem;border:1px solid var(--line)}\n"
    ".claims tr.claim-differs{border-left:4px solid var(--differs)}\n"
    ".claims .claim-differs td:first-child{box-shadow:none}\n"
    ".claims tbody td,.claims tbody th{width:auto!important;padding:.2rem 0 .2rem 4.2rem;border:0;"
    "position:relative;min-height:1.6em}\n"
    ".claims tbody th{font-weight:600}\n"
    ".claims tbody td::before,.claims tbody th::before{content:attr(data-label);position:absolute;"
    "left:0;color:var(--soft);font-weight:400}\n"
    ".provenance{grid-template-columns:1fr;gap:0}\n.provenance dd{margin-bottom:.6rem}\n"
    ".tally{display:block;margin:0}\n}\n";

static const char print[] =
    "@page{margin:16mm 14mm}\n"
    "@media print{\n"
    "body{max-width:none;padding:0;font-size:10pt;line-height:1.45}\n"
    "h1{font-size:17pt}\nh2{font-size:13pt;margin-top:8mm}\nh3{font-size:11pt}\n"
    "h1,h2,h3,h4,caption{break-after:avoid}\n"
    "figure,tr,li,.command,.counts,dl,.files{break-inside:avoid}\n"
    "thead{display:table-header-group}\n"
    "table{font-size:8pt}\n"
    "p,li{orphans:3;widows:3}\n"
    ".picture{padding:0;border:0}\n"
    "img{max-height:200mm}\n"
    ".verdict,.claim-differs,.command{-webkit-print-color-adjust:exact;print-color-adjust:exact}\n"
    "a{color:inherit;text-decoration:none}\n"
    ".citation a{text-decoration:underline}\n}\n";

const char *const report_style[] = {colors, text, claims, results, phone, print, NULL};
