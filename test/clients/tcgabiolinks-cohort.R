# What TCGAbiolinks makes of one cohort at each of several addresses.
# Rscript tcgabiolinks-cohort.R LIBRARY FOLDER PROJECT IDS ADDRESS...: LIBRARY is
# support/point-tcgabiolinks.R, IDS the files to download and prepare, with commas. The last address
# is asked for clinical data alone. Prints one line per fact, tab-separated: the place of the address,
# a name, the values.
arguments <- commandArgs(trailingOnly = TRUE)
source(arguments[[1]])
folder <- arguments[[2]]
project <- arguments[[3]]
prepared <- strsplit(arguments[[4]], ",")[[1]]
addresses <- arguments[-(1:4)]
suppressWarnings(suppressPackageStartupMessages(library(TCGAbiolinks)))
suppressWarnings(suppressPackageStartupMessages(library(SummarizedExperiment)))
output <- stdout()
sink(stderr())

place <- 0
print_fact <- function(...) cat(paste(c(place, ...), collapse = "\t"), "\n", sep = "", file = output)
print_rows <- function(name, rows) {
  lines <- do.call(paste, c(list(place, name), lapply(rows, as.character), sep = "\t"))
  cat(lines, sep = "\n", file = output)
  cat("\n", file = output)
}
failing <- function(name, code) {
  tryCatch(suppressWarnings(code), error = function(e) print_fact("failed", name, conditionMessage(e)))
}

counts <- function(...) {
  GDCquery(project, data.category = "Transcriptome Profiling",
           data.type = "Gene Expression Quantification", workflow.type = "STAR - Counts", ...)
}
COLUMNS <- c("file_id", "cases", "sample_type", "sample.submitter_id", "cases.submitter_id")
CLINICAL <- c("submitter_id", "vital_status", "gender", "days_to_death", "primary_diagnosis",
              "ajcc_pathologic_stage", "tobacco_smoking_status")

clinical <- function() {
  failing("clinical", print_rows("clinical", GDCquery_clinic(project, "clinical")[, CLINICAL]))
}

at_address <- function(into) {
  everything <- NULL
  failing("query", {
    everything <- counts()
    print_rows("query", getResults(everything)[, COLUMNS])
  })
  for (type in list("Solid Tissue Normal", c("Recurrent Tumor", "Primary Tumor"))) {
    failing("sample.type", {
      rows <- getResults(counts(sample.type = type))
      print_rows(paste("of", paste(type, collapse = "+")), rows[, c("file_id", "cases")])
    })
  }
  failing("barcode", {
    rows <- getResults(everything)
    some <- getResults(counts(barcode = substr(rows$cases[[1]], 1, 16)))
    print_fact("barcode", some$cases, rows$cases[[1]])
  })
  failing("prepare", {
    query <- everything
    query$results[[1]] <- query$results[[1]][query$results[[1]]$file_id %in% prepared, ]
    GDCdownload(query, directory = into)
    data <- GDCprepare(query, directory = into)
    about <- colData(data)
    print_fact("genes", nrow(data), paste(assayNames(data), collapse = ","))
    print_rows("prepared", list(
      colnames(data), about$barcode, about$patient, about$sample, about$shortLetterCode,
      about$sample_type, about$sample_id, about$vital_status, about$project_id,
      colSums(assay(data, "unstranded"))
    ))
  })
  clinical()
  failing("biospecimen", {
    samples <- GDCquery_clinic(project, "Biospecimen")
    aliquots <- sapply(samples$portions, function(portions) {
      found <- unlist(lapply(portions$analytes, function(analytes) {
        lapply(analytes$aliquots, function(aliquots) aliquots$submitter_id)
      }))
      paste(sort(found), collapse = ",")
    })
    print_rows("biospecimen",
              list(samples$submitter_id, samples$sample_id, samples$sample_type, aliquots))
  })
  failing("getSampleFilesSummary", {
    summary <- getSampleFilesSummary(project)
    print_fact("files of cases", nrow(summary))
  })
}
functions <- functions_with_address()
for (address in addresses) {
  place <- place + 1
  point_at(address, functions)
  if (place < length(addresses)) at_address(file.path(folder, place)) else clinical()
}
