# Times lme4 on one table: file, model, repetitions. Prints seconds of processor time per fit and the REML criterion.
# A `data` of several value columns y1, y2, ... is fitted one by one, as lme4 must.
suppressMessages(library(lme4))
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1])
job <- arguments[2]
times <- as.integer(arguments[3])
data$t <- factor(data$t)
data$r <- factor(data$r)
control <- lmerControl(calc.derivs = FALSE)
seconds <- function(work) {
  best <- Inf
  for (i in seq_len(times)) {
    used <- system.time(work())
    best <- min(best, used[["user.self"]] + used[["sys.self"]])
  }
  best
}
columns <- grep("^y", names(data), value = TRUE)
fit_one <- function(column) lmer(reformulate(c("1", "(1|t)", "(1|r)"), column), data, control = control)
if (job == "fit") {
  fit <- suppressMessages(fit_one(columns[1])) # warm
  cat(seconds(function() for (column in columns) suppressMessages(fit_one(column))), format(REMLcrit(fit), digits = 15), "\n")
} else if (job == "bootstrap") {
  fit <- suppressMessages(fit_one(columns[1]))
  share <- function(m) {
    v <- as.data.frame(VarCorr(m))$vcov
    v[1] / sum(v)
  }
  cat(seconds(function() suppressMessages(suppressWarnings(bootMer(fit, share, nsim = as.integer(arguments[4]), seed = 1)))), format(REMLcrit(fit), digits = 15), "\n")
}
