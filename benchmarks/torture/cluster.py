"""A Dask cluster of this machine, until its standard input ends: `python -m torture.cluster` prints its address."""

import sys

if __name__ == "__main__":
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
