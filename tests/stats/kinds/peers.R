# Prints the literals of test_peers.py. Run in this folder with R, lme4 and nlme: Rscript peers.R
suppressMessages(library(lme4))
suppressMessages(library(nlme))
options(digits = 12)
cat("R", as.character(getRversion()), "lme4", as.character(packageVersion("lme4")),
    "nlme", as.character(packageVersion("nlme")), "\n")
control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5))

show_lmer <- function(name, fit, kinds) {
  cat("\n", name, "\n", sep = "")
  covariance <- as.matrix(VarCorr(fit)$target)
  print(covariance[paste0("kind", kinds), paste0("kind", kinds)])
  cat("rater", unlist(lapply(names(VarCorr(fit))[names(VarCorr(fit)) != "target"],
                             function(g) c(g, VarCorr(fit)[[g]][1]))), "\n")
  cat("residual", sigma(fit)^2, "\n")
  cat("criterion", -2 * as.numeric(logLik(fit)), "\n")
  print(fixef(fit)[paste0("kind", kinds)])
  print(as.matrix(vcov(fit))[paste0("kind", kinds), paste0("kind", kinds)])
}

three <- read.csv("three_kinds.csv")
two <- subset(three, kind != "code")
for (frame in list(two, three)) {
  kinds <- intersect(c("human", "llm", "code"), frame$kind)
  fit <- lmer(y ~ 0 + kind + (0 + kind | target) + (1 | rater), frame, control = control)
  show_lmer(paste(c("common rater and residual variance:", kinds), collapse = " "), fit, kinds)
}
two$human <- as.numeric(two$kind == "human")
two$llm <- as.numeric(two$kind == "llm")
fit <- lmer(y ~ 0 + kind + (0 + kind | target) + (0 + human | rater) + (0 + llm | rater), two, control = control)
show_lmer("rater variances apart, common residual variance", fit, c("human", "llm"))

again <- read.csv("replicates.csv")
fit <- lme(y ~ 0 + rater, random = ~ 0 + rater | target, weights = varIdent(form = ~ 1 | rater), data = again,
           control = lmeControl(opt = "optim", maxIter = 500, msMaxIter = 500, reltol = 1e-14, tolerance = 1e-10))
cat("\nresidual variances apart, no raters (nlme)\n")
print(getVarCov(fit))
ratio <- coef(fit$modelStruct$varStruct, unconstrained = FALSE, allCoef = TRUE)
print((sigma(fit) * ratio)^2)
cat("criterion", -2 * as.numeric(logLik(fit)), "\n")
print(fixef(fit))
