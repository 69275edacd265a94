"""Workers: where the evaluations of a study run, behind one small protocol, whatever executor stands there.

There is no engine of our own: this process, a pool of processes, any executor of concurrent.futures, or a Dask cluster.
What is added is that nothing is lost or doubled when a worker dies, and that what runs can be ended. A future that was
submitted gives an outcome; it raises only where the executor itself is broken or its workers cannot import f, and it is
cancelled if it was ended.
"""

from rembo.study.workers.choice import workers_for
from rembo.study.workers.dask import DaskWorkers, OnLost
from rembo.study.workers.executor import ExecutorWorkers
from rembo.study.workers.here import Here
from rembo.study.workers.pool import Pool
from rembo.study.workers.protocol import Outcomes, Workers

__all__ = ["DaskWorkers", "ExecutorWorkers", "Here", "OnLost", "Outcomes", "Pool", "Workers", "workers_for"]
