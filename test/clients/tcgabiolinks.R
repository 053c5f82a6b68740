# Runs TCGAbiolinks as it is installed, pointed at another address: the package has it as a literal
# in its functions, so these are put back with the address changed and nothing else (contract 8.3).
# Rscript tcgabiolinks.R ADDRESS FOLDER: prints one line per thing asked, tab-separated.
arguments <- commandArgs(trailingOnly = TRUE)
address <- arguments[[1]]
folder <- arguments[[2]]
suppressWarnings(suppressPackageStartupMessages(library(TCGAbiolinks)))
told <- stdout()
sink(stderr())

public <- "https://api.gdc.cancer.gov"
space <- asNamespace("TCGAbiolinks")
replace_in <- function(environment, name, value) {
  unlockBinding(name, environment)
  assign(name, value, environment)
  lockBinding(name, environment)
}
for (name in ls(space, all.names = TRUE)) {
  value <- get(name, space)
  if (!is.function(value)) next
  lines <- deparse(value, control = c("keepNA", "keepInteger", "niceNames", "showAttributes"))
  if (!any(grepl(public, lines, fixed = TRUE))) next
  moved <- eval(parse(text = gsub(public, address, lines, fixed = TRUE)), space)
  replace_in(space, name, moved)
  if (name %in% getNamespaceExports("TCGAbiolinks")) {
    replace_in(as.environment("package:TCGAbiolinks"), name, moved)
  }
}

tell <- function(...) cat(paste(c(...), collapse = "\t"), "\n", sep = "", file = told)
tell("status", getGDCInfo()$status)
tell("projects", nrow(getGDCprojects()))
clinic <- suppressWarnings(GDCquery_clinic("DEMO-OPEN", "clinical"))
tell("clinical", nrow(clinic), sum(!is.na(clinic$submitter_id)))

fetch <- function(query, kept, ...) {
  rows <- query$results[[1]]
  query$results[[1]] <- rows[rows$file_name %in% kept, ]
  suppressWarnings(GDCdownload(query, method = "api", directory = folder, ...))
  rows <- query$results[[1]]
  for (i in seq_len(nrow(rows))) {
    found <- list.files(file.path(folder, "DEMO-OPEN"), recursive = TRUE, full.names = TRUE)
    path <- found[basename(found) == rows$file_name[[i]] & grepl(rows$file_id[[i]], found)]
    tell("file", rows$file_id[[i]], rows$md5sum[[i]], tools::md5sum(path))
  }
}
query <- function(category, type) {
  suppressWarnings(GDCquery("DEMO-OPEN", data.category = category, data.type = type))
}
# Several in one archive, several in archives of two, and one alone, which comes as it is. Chunks of
# a single file are left out: the package looks for those under another name than it writes.
fetch(query("Copy Number Variation", "Copy Number Segment"), paste0("demo-", 1:2, ".seg.txt"))
fetch(query("Transcriptome Profiling", "Gene Expression Quantification"),
      c(paste0("demo-", 1:3, ".gene_counts.tsv"), "demo-annotated.gene_counts.tsv"),
      files.per.chunk = 2)
fetch(query("Simple Nucleotide Variation", "Masked Somatic Mutation"), "demo-2.masked.maf")
