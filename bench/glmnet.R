# The adapter of glmnet: glmnet.R FOLDER LAMBDA ROUNDS LIMIT. Speaks the protocol of solve.py.
suppressPackageStartupMessages({library(Matrix); library(glmnet)})
args <- commandArgs(trailingOnly = TRUE)
folder <- args[1]
penalty <- as.numeric(args[2])
rounds <- as.integer(args[3])
limit <- as.numeric(args[4])
thresh <- 1e-16 # 1e-14 leaves an error of 2e-10 on syn1

raw_file <- function(name, what, count, size, skip = 0) {
  file <- file(file.path(folder, name), "rb")
  on.exit(close(file))
  if (skip > 0) readBin(file, "raw", skip)
  readBin(file, what, count, size = size)
}

# The data of a .npy file of doubles; the length of its header stands in bytes 9 and 10.
npy <- function(name) {
  skip <- 10 + sum(as.integer(raw_file(name, "raw", 10, 1)[9:10]) * c(1, 256))
  raw_file(name, "double", (file.size(file.path(folder, name)) - skip) / 8, 8, skip)
}

y <- npy("y.npy")
n <- length(y)
if (file.exists(file.path(folder, "A.shape"))) {
  shape <- scan(file.path(folder, "A.shape"), quiet = TRUE)
  count <- file.size(file.path(folder, "A.values")) / 8
  rows <- rep(seq_len(n), each = count / n) # every row has as many
  columns <- raw_file("A.indices", "integer", count, 4) + 1L
  A <- sparseMatrix(i = rows, j = columns, x = raw_file("A.values", "double", count, 8), dims = shape)
  rm(rows, columns)
  kind <- "naive" # the faster one of two: residuals, not inner products of columns
} else {
  A <- t(matrix(npy("A.npy"), ncol = n))
  kind <- "covariance"
}
invisible(gc())
glmnet.control(fdev = 0, devmax = 1)
cat("ready\n")
flush(stdout())
spent <- 0
for (r in seq_len(rounds)) {
  if (r > 1 && spent > limit / 4) break
  seconds <- system.time(
    fit <- glmnet(A, y, lambda = penalty, intercept = FALSE, standardize = FALSE, thresh = thresh, maxit = 1e9,
                  type.gaussian = kind)
  )[["elapsed"]]
  spent <- spent + seconds
  if (r == 1) writeBin(as.numeric(fit$beta), file.path(folder, "glmnet.f64"))
  cat(sprintf("round %.9g\n", seconds))
  flush(stdout())
}
