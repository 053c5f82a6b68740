# Kaplan-Meier curves and their comparison: survival.R DONORS
#
# Each line of standard input is a path, or nothing. The answer is the milliseconds, and donors,
# deaths and expected deaths of every curve, in one line; a path is given the estimate at every time.
library(survival)
donors <- read.delim(commandArgs(TRUE)[1])
cat(as.character(packageVersion("survival")), "\n", sep = "")
input <- file("stdin", "r")
while (length(path <- readLines(input, 1)) == 1) {
  start <- as.numeric(Sys.time())
  fit <- survfit(Surv(time, died) ~ curve, donors)
  test <- survdiff(Surv(time, died) ~ curve, donors)
  milliseconds <- (as.numeric(Sys.time()) - start) * 1000
  if (path != "") {
    curve <- rep(seq_along(fit$strata), fit$strata)
    steps <- data.frame(curve, format(fit$time, digits = 17), format(fit$surv, digits = 17))
    write.table(steps, path, sep = "\t", quote = FALSE, row.names = FALSE, col.names = FALSE)
  }
  told <- c(milliseconds, test$n, test$obs, test$exp)
  cat(paste(format(told, digits = 17, trim = TRUE), collapse = " "), "\n", sep = "")
}
