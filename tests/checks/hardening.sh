#!/bin/bash
# The program and the shared library are built so that bugs are hard to exploit: position-independent,
# address tables read-only before main(), no executable stack, checked stack frames and string functions,
# checked jump targets.
# shellcheck source=tests/checks/common/check.sh
. "$SOURCE/tests/checks/common/check.sh"

# Everything that is missing, one line each.
shortcomings() { # directory of binaries
    local file name header dynamic symbols
    find -L "$1" -maxdepth 1 -type f \( -name isinglass -o -name 'libisinglass.so' \) | sort |
        while IFS= read -r file; do
            name=${file##*/}
            header=$(readelf -hlW "$file")
            dynamic=$(readelf -dW "$file")
            symbols=$(readelf -W --dyn-syms "$file")
            [[ $header == *'Type: '*' DYN '* ]] || echo "$name: not position independent"
            [[ $name == *.so || $dynamic == *PIE* ]] || echo "$name: not marked as PIE"
            [[ $header == *GNU_RELRO* ]] || echo "$name: no RELRO"
            [[ $dynamic == *BIND_NOW* ]] || echo "$name: symbols are bound late"
            [[ $header =~ GNU_STACK[^$'\n']*\ RW\  ]] || echo "$name: the stack is executable"
            [[ $symbols == *__stack_chk_fail* ]] || echo "$name: no stack protector"
            [[ $symbols == *__snprintf_chk* || $symbols == *__vsnprintf_chk* ]] ||
                echo "$name: no checked string functions"
            [[ $(uname -m) != x86_64 || $(objdump -d --disassemble=isg_version "$file") == *endbr64* ]] ||
                echo "$name: targets of jumps are not marked"
            [[ $dynamic != *TEXTREL* ]] || echo "$name: the code is changed when loaded"
        done
}

plant weak.c <<'END'
#include <stdio.h>
const char *isg_version(void) {
    return "0.0.0";
}
int main(int argc, char **argv) {
    char text[64];
    snprintf(text, sizeof text, "%s", argv[argc - 1]);
    return text[0];
}
END
# shellcheck disable=SC2054 # the commas are the linker's
weak=(-O0 -fno-stack-protector -U_FORTIFY_SOURCE -fcf-protection=none
    -Wl,-z,norelro -Wl,-z,lazy -Wl,-z,execstack)
[[ $(uname -m) == x86_64 ]] || weak=("${weak[@]/-fcf-protection=none/}")
"$CC" "${weak[@]}" -fno-pie -no-pie "$planted/weak.c" -o "$planted/isinglass"
"$CC" "${weak[@]}" -shared -fPIC "$planted/weak.c" -o "$planted/libisinglass.so"
{
    for name in isinglass libisinglass.so; do
        echo "$name: no RELRO"
        echo "$name: symbols are bound late"
        echo "$name: the stack is executable"
        echo "$name: no stack protector"
        echo "$name: no checked string functions"
        [[ $(uname -m) != x86_64 ]] || echo "$name: targets of jumps are not marked"
    done
    echo "isinglass: not position independent"
    echo "isinglass: not marked as PIE"
} >"$planted/expected"
expect_findings shortcomings <"$planted/expected"

[[ -f $BUILD/isinglass && -f $BUILD/libisinglass.so ]] || die "nothing to look at in $BUILD"
expect_none shortcomings "$BUILD"
