# The manual page: no warning from either formatter, and every option in it.
isinglass --print-man >isinglass.1
head -3 isinglass.1
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww isinglass.1 >/dev/null
    groff -man -Tascii -P-c isinglass.1 | sed 's/.\x08//g' >page
    for option in $(isinglass --help | grep -o '^  --[a-z-]*'); do
        grep -q -- "^ *$option" page || echo "not in the manual: $option"
    done
fi
if command -v man >/dev/null; then
    man --warnings -E UTF-8 -l -Tutf8 -Z isinglass.1 >/dev/null
fi
LC_ALL=C grep -n '[^ -~]' isinglass.1
awk 'length > 2000' isinglass.1
true
