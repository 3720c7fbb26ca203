# Prints the literals of test_peers.py. Run with R, lme4, lmerTest, multcomp and mvtnorm: Rscript peers.R
suppressMessages({library(lme4); library(lmerTest); library(multcomp)})
options(digits = 12)
for (name in c("lme4", "lmerTest", "multcomp", "mvtnorm")) cat(name, as.character(packageVersion(name)), "\n")
control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e6),
                       check.conv.singular = "ignore", calc.derivs = FALSE)

noise <- function(i, k) sqrt(12) * ((((i + 1) * 7919 + (k + 1) * 104729 + (i + 1)^2 * 31) %% 1009) / 1009 - 0.5)

# the same formulae as in conftest.py; sd holds those of persona, preference, persona x system, preference x system,
# dialogue, rater, rater x system and residual
draw <- function(S, P, Q, R, rep, sd, drop) {
  g <- expand.grid(t = 0:(rep - 1), r = 0:(R - 1), q = 0:(Q - 1), p = 0:(P - 1), s = 0:(S - 1))
  g$d <- (g$s * P + g$p) * Q + g$q
  i <- seq_len(nrow(g)) - 1
  y <- 0.4 * g$s + sd[1] * noise(g$p, 1) + sd[2] * noise(g$q, 2) + sd[3] * noise(g$s * P + g$p, 3) +
    sd[4] * noise(g$s * Q + g$q, 4) + sd[5] * noise(g$d, 5) + sd[6] * noise(g$r, 6) +
    sd[7] * noise(g$s * R + g$r, 7) + sd[8] * noise(i, 8)
  g$y <- round(y, 4)
  g <- g[(i * 17) %% 10 >= drop, ]
  for (name in c("r", "q", "p", "s", "d")) g[[name]] <- factor(g[[name]])
  g
}

show <- function(name, fit, L) {
  cat("\n", name, " n ", nobs(fit), "\n", sep = "")
  for (g in names(VarCorr(fit))) cat(g, VarCorr(fit)[[g]][1], "\n")
  cat("residual", sigma(fit)^2, "\n")
  cat("criterion", -2 * as.numeric(logLik(fit)), "\n")
  print(fixef(fit))
  print(contest(fit, L, joint = FALSE)[, c("Estimate", "Std. Error", "df", "Pr(>|t|)")])
  print(contest(fit, diag(length(fixef(fit))), joint = FALSE)[, c("Estimate", "Std. Error", "df")])
}

together <- function(fit, L, df) {
  tests <- glht(fit, linfct = L, df = df)
  set.seed(1)
  found <- summary(tests, test = adjusted("single-step", abseps = 1e-6, maxpts = 1e6))$test
  cat("df", df, "adjusted p", found$pvalues, "error", attr(found$pvalues, "error"), "\n")
  corr <- cov2cor(L %*% as.matrix(vcov(fit)) %*% t(L))
  # confint of multcomp looks for the critical value coarsely, so the root is found here
  tail <- function(c) {
    set.seed(1)
    1 - pmvt(-rep(c, nrow(L)), rep(c, nrow(L)), corr = corr, df = df, algorithm = GenzBretz(1e6, 1e-6, 0))
  }
  cat("critical", uniroot(function(c) tail(c) - 0.05, c(2, 5), tol = 1e-7)$root, "\n")
}

all_pairs <- function(S) {
  pairs <- combn(S, 2)
  t(apply(pairs, 2, function(p) {x <- numeric(S); x[p[1]] <- 1; x[p[2]] <- -1; x}))
}

rated <- draw(3, 6, 3, 3, 2, c(.6, .5, .5, .4, .5, .5, .4, .8), 3)
fit <- lmer(y ~ 0 + s + (1 | p) + (1 | q) + (1 | p:s) + (1 | q:s) + (1 | d) + (1 | r) + (1 | r:s), rated,
            control = control)
show("rated", fit, all_pairs(3))
together(fit, all_pairs(3), 5)

plain <- draw(4, 8, 4, 1, 1, c(.6, .5, .5, .4, 0, 0, 0, .8), 3)
fit <- lmer(y ~ 0 + s + (1 | p) + (1 | q) + (1 | p:s) + (1 | q:s), plain, control = control)
show("unbalanced", fit, all_pairs(4))
together(fit, all_pairs(4), 9)

edge <- draw(3, 8, 4, 1, 1, c(.6, 0, 0, 0, 0, 0, 0, 1), 2)
fit <- lmer(y ~ 0 + s + (1 | p) + (1 | q) + (1 | p:s) + (1 | q:s), edge, control = control)
show("boundary", fit, all_pairs(3))
