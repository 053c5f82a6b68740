# TCGAbiolinks as it is installed has its address as a literal in its functions. These are put back
# with the address changed and nothing else (contract 8.3).
PUBLIC_ADDRESS <- "https://api.gdc.cancer.gov"

# Functions that have the literal, as lines of code, by name. Taken once, before any was moved.
functions_with_address <- function() {
  space <- asNamespace("TCGAbiolinks")
  found <- list()
  for (name in ls(space, all.names = TRUE)) {
    value <- get(name, space)
    if (!is.function(value)) next
    lines <- deparse(value, control = c("keepNA", "keepInteger", "niceNames", "showAttributes"))
    if (any(grepl(PUBLIC_ADDRESS, lines, fixed = TRUE))) found[[name]] <- lines
  }
  found
}

point_at <- function(address, functions) {
  space <- asNamespace("TCGAbiolinks")
  replace_in <- function(environment, name, value) {
    unlockBinding(name, environment)
    assign(name, value, environment)
    lockBinding(name, environment)
  }
  for (name in names(functions)) {
    moved <- eval(parse(text = gsub(PUBLIC_ADDRESS, address, functions[[name]], fixed = TRUE)), space)
    replace_in(space, name, moved)
    if (name %in% getNamespaceExports("TCGAbiolinks")) {
      replace_in(as.environment("package:TCGAbiolinks"), name, moved)
    }
  }
}
