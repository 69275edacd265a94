"""Benchmarks that others wrote, as problems with rembo's members: `space`, `optimum`, and a call.

coco   the functions of COCO's suites bbob and bbob-mixint (Hansen et al. 2021)
pbo    IOHprofiler's pseudo-Boolean problems (Doerr et al. 2020)
lasso  LassoBench's synthetic functions (Sehic et al. 2022)

A problem is a few numbers that can be pickled; the foreign object behind it is made in the process that evaluates it.
"""
