# What the README shows is what ravel prints: every "$ command" in a console block is run, and must print what follows it.
# To renew the README, in an empty directory with a link to examples/ and RAVEL set:
# python3 SOURCE/tests/cli/support/console.py --write SOURCE/README.md
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

# In a directory of its own: the commands leave programs behind.
mkdir shown && ln -s "$RAVEL_SOURCE_DIR/examples" shown/examples
(cd shown && python3 "$RAVEL_SOURCE_DIR/tests/cli/support/console.py" "$RAVEL_SOURCE_DIR/README.md")

# A README that shows something else is noticed.
sed 's/^balance: 130$/balance: 131/' "$RAVEL_SOURCE_DIR/README.md" >shown/wrong.md
(cd shown && expect 1 python3 "$RAVEL_SOURCE_DIR/tests/cli/support/console.py" wrong.md)
out_has '-balance: 131'

cd "$RAVEL_SOURCE_DIR"

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
