"""What the experiments share: searches, their record, contests of methods, statistics, and figures.

search      one method on one instance of a task, and the line that is kept of it
record      finished searches as lines of a JSONL file
contest     many searches in parallel processes, resumable, and the command line of every script
methods     what can be compared, each with one verb: minimize(f, space, n_trials, seed)
suites      benchmarks that others wrote, as problems
statistics  means, bands, rank tests, tables
standings   mean ranks on a suite, and the share of targets reached
figures     curves with bands, written as SVG and PNG
"""
