# The manual pages: one for each command that --help lists, well-formed, with every option of its --help.
run 0 --help
sed -n 's/^  gpis \([a-z-]*\) .*/\1/p' stdout | sed '/^solve$/!b' | sort -u >names
holds "commands" "$(wc -l <names) >= 8"
mkdir pages
backspace=$(printf '\b') # how mandoc prints bold letters
run 0 manual --all pages
same "output" "$(cat stdout stderr)" ""
same "pages" "$(ls pages)" "$({ echo gpis.1 && sed 's/.*/gpis-&.1/' names; } | sort)"
for page in pages/*.1; do
    command="manual ($page)"
    # groff as man uses it, and mandoc; a page has no date, so that the same program always makes the same page
    man --warnings -l "$page" >text 2>stderr || fail "man cannot show it"
    [ ! -s stderr ] || fail "man warns"
    mandoc -T lint -W warning "$page" 2>&1 | grep -v 'missing date' >stderr
    [ ! -s stderr ] || fail "mandoc complains"
    checks=$((checks + 2))
    mandoc -T utf8 "$page" 2>/dev/null | sed "s/.$backspace//g" >"$page.txt"
done
while read -r name; do
    run 0 "$name" --help
    grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' stdout | grep -oE -- '--[a-z0-9-]+' | sort -u >options
    grep -oE '^ +(-[a-zA-Z], )?--[a-z0-9-]+' "pages/gpis-$name.1.txt" | grep -oE -- '--[a-z0-9-]+' | sort -u >written
    cmp -s options written || fail "the options of its page are others: $(diff options written | tr '\n' ' ')"
    # one page is what the command prints alone; its words are those of --help
    run 0 manual "$name"
    cmp -s stdout "pages/gpis-$name.1" || fail "alone and with all others the page differs"
    grep -q "gpis $name" "pages/gpis-$name.1.txt" || fail "there is no synopsis"
    grep -q "^EXAMPLES" "pages/gpis-$name.1.txt" || fail "there is no example"
    grep -q "gpis-$name(1)" pages/gpis.1.txt || fail "gpis(1) does not name it"
done <names
run 0 manual
cmp -s stdout pages/gpis.1 || fail "alone and with all others gpis(1) differs"
# The words of an option are those of --help.
run 0 solve --help
tr -s ' \n' ' ' <stdout >help
tr -s ' \n' ' ' <pages/gpis-solve.1.txt >page
for text in "stop after N passes over A" "relative gap that counts as solved (default 1e-8)" "'tv + radio <= 0.5'"; do
    grep -qF "$text" help && grep -qF "$text" page || fail "'$text' is not in both"
done
refuse 2 manual explode
refuse 2 manual solve plan
refuse 3 manual --all nowhere/at/all
