# Reads what go test -cover printed and writes a table of how much of each package its own tests reach. Packages that
# support tests only, whose names or parents' names end in "test", are left out. Fails where a package is below the
# least.
# -v module=NAME is the path of the module.
BEGIN { least = 85 }
/coverage: / {
  name = ""
  for (i = 1; i <= NF; i++) {
    if (index($i, module "/") == 1) name = substr($i, length(module) + 2)
    if ($i == "coverage:") share = $(i + 1)
  }
  if (name ~ /test(\/|$)/ || share == "[no") next
  sub(/%/, "", share)
  table[++n] = sprintf("%6.1f %%  %s", share, name)
  if (share + 0 < least) low[++m] = name
}
END {
  if (n == 0) { print "no package was measured"; exit 1 }
  for (i = 1; i <= n; i++) print table[i]
  if (m > 0) {
    printf "below %d %%:", least
    for (i = 1; i <= m; i++) printf " %s", low[i]
    print ""
    exit 1
  }
}
