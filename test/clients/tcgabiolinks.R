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
query <- function(category, type, ...) {
  suppressWarnings(GDCquery("DEMO-OPEN", data.category = category, data.type = type, ...))
}
# Several in one archive, several in archives of two, and one alone, which comes as it is. Chunks of
# a single file are left out: the package looks for those under another name than it writes.
fetch(query("Copy Number Variation", "Copy Number Segment"), paste0("demo-", 1:2, ".seg.txt"))
fetch(query("Transcriptome Profiling", "Gene Expression Quantification"),
      c(paste0("demo-", 1:3, ".gene_counts.tsv"), "demo-annotated.gene_counts.tsv"),
      files.per.chunk = 2)
fetch(query("Simple Nucleotide Variation", "Masked Somatic Mutation"), "demo-2.masked.maf")

# Whatever a search finds can be downloaded and prepared.
fetched <- function(category, type, ...) {
  found <- query(category, type, ...)
  suppressWarnings(GDCdownload(found, method = "api", directory = folder))
  found
}
prepared <- function(found, ...) suppressWarnings(GDCprepare(found, directory = folder, ...))
count <- function(found) nrow(found$results[[1]])

star <- fetched("Transcriptome Profiling", "Gene Expression Quantification", workflow.type = "STAR - Counts")
experiment <- prepared(star)
tell("star", class(experiment), count(star), dim(experiment))
values <- SummarizedExperiment::assay(experiment, "fpkm_uq_unstrand")
rownames(values) <- sub("\\..*", "", SummarizedExperiment::rowData(experiment)$gene_id)
for (i in seq_len(ncol(values))) {
  tell("fpkm-uq", colnames(experiment)[[i]], format(values["ENSG00000141510", i], digits = 15))
}
tables <- list(
  c("Transcriptome Profiling", "miRNA Expression Quantification"),
  c("Transcriptome Profiling", "Isoform Expression Quantification"),
  c("DNA Methylation", "Methylation Beta Value"),
  c("Proteome Profiling", "Protein Expression Quantification")
)
for (table in tables) {
  found <- fetched(table[[1]], table[[2]])
  tell("table", table[[2]], count(found), dim(prepared(found, summarizedExperiment = FALSE)))
}

# GDCprepare takes these of projects alone that it knows by their names; its readers take them of all.
reader <- function(name) getFromNamespace(name, "TCGAbiolinks")
paths <- function(found) {
  rows <- found$results[[1]]
  part <- function(text) gsub(" ", "_", text)
  file.path(folder, "DEMO-OPEN", "harmonized", part(rows$data_category), part(rows$data_type),
            rows$file_id, rows$file_name)
}
for (type in c("Copy Number Segment", "Masked Copy Number Segment")) {
  found <- fetched("Copy Number Variation", type)
  rows <- reader("readCopyNumberVariation")(paths(found), found$results[[1]]$cases)
  tell("segments", type, count(found), length(unique(rows$Sample)), ncol(rows))
}
found <- fetched("Copy Number Variation", "Gene Level Copy Number")
rows <- reader("readGeneLevelCopyNumber")(paths(found), found$results[[1]]$cases)
tell("copies", count(found), dim(rows))
found <- fetched("Simple Nucleotide Variation", "Masked Somatic Mutation")
rows <- reader("readSimpleNucleotideVariationMaf")(paths(found))
tell("mutations", count(found), nrow(rows), length(unique(rows$case_id)))

found <- fetched("Clinical", "Clinical Supplement")
clinic <- function(info) suppressWarnings(GDCprepare_clinic(found, info, directory = folder))
tell("patients", count(found), length(unique(clinic("patient")$bcr_patient_uuid)))
tell("stages", nrow(clinic("stage_event")))
found <- fetched("Biospecimen", "Biospecimen Supplement")
tell("samples", count(found), length(unique(clinic("sample")$bcr_sample_uuid)))
tell("aliquots", length(unique(clinic("aliquot")$bcr_aliquot_uuid)))
