#!/usr/bin/env bash
# readr 2.1.4: write_tsv doubles a quotation mark within a value and puts no quotation marks around the value, so
# neither read_tsv nor read.delim gives the value back that was written. write_csv does quote it. Needs R and
# Debian's apt; the packages are unpacked into a temporary folder.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
packages='readr vroom tibble tidyselect bit bit64 cli clipr crayon cpp11 ellipsis fansi glue hms lifecycle magrittr
  pillar pkgconfig progress prettyunits r6 rlang tzdb utf8 vctrs withr'
for package in $packages; do
  version=$(apt-cache madison "r-cran-$package" 2>/dev/null | awk 'NR == 1 { print $3 }')
  if [ "$package" = readr ]; then version=2.1.4-1; fi
  if [ -n "$version" ]; then apt-get download -qq "r-cran-$package=$version" >/dev/null; fi
done
for archive in ./*.deb; do dpkg-deb -x "$archive" unpacked; done
export R_LIBS=$folder/unpacked/usr/lib/R/site-library
Rscript - <<'R'
cat("readr", as.character(packageVersion("readr")), "\n")
written <- data.frame(name = 'say "hi"', count = 1L)
readr::write_tsv(written, "written.tsv")
readr::write_csv(written, "written.csv")
line <- readLines("written.tsv")[2]
back <- readr::read_tsv("written.tsv", show_col_types = FALSE)$name
from_csv <- readr::read_csv("written.csv", show_col_types = FALSE)$name
cat("write_tsv wrote:", line, "\n")
cat("read_tsv reads: ", back, "\n")
cat("by write_csv and read_csv:", from_csv, "\n")
same <- line == 'say ""hi""\t1' && back == 'say ""hi""' && from_csv == written$name
quit(status = if (same) 0 else 1)
R
