# What the README shows is what ravel prints: every "$ command" in a console block is run, and must print what follows it.
# To renew the README: python3 tests/cli/support/console.py --write README.md (with RAVEL set).
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"
cd "$RAVEL_SOURCE_DIR"
python3 tests/cli/support/console.py README.md

# Every command of the table exists.
for command in $(sed -n 's/^| `ravel \([a-z]*\).*/\1/p' README.md); do
  expect 0 "$RAVEL" "$command" --help
done

# Every file that the documents name exists.
for document in README.md docs/*.md; do
  while read -r link; do
    [[ $link == *://* || -e $(dirname "$document")/$link ]] || fail "$document: no file $link"
  done < <(grep -oE '\]\([^)#]+' "$document" | cut -c3-)
  while read -r file; do
    [[ -e $file ]] || fail "$document: no file $file"
  done < <(grep -oE '`(src|tests|docs|examples)/[A-Za-z0-9_./-]+\.[a-z]+`' "$document" | tr -d '\140')
done
