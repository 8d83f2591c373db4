"""Works through a queue of jobs."""
import logging
from dataclasses import dataclass

log = logging.getLogger(__name__)


@dataclass
class Job:
    """One piece of work."""

    name: str
    tries: int = 0


class Worker:
    """Runs jobs until the queue is empty.

def not_a_function(): this line is part of the docstring
    """

    def __init__(self, queue, retries=3):
        self.queue = queue
        self.retries = retries

#   A comment at the left edge does not end the class.

    @property
    def idle(self):
        return not self.queue

    # Retried jobs go to the end of the queue.
    async def run(self):
        while self.queue:
            job = self.queue.pop(0)
            try:
                await self.handle(job)
            except ValueError as err:
                job.tries += 1
                if job.tries < self.retries:
                    self.queue.append(job)
                else:
                    log.error("gave up on %s: %s", job.name, err)
            finally:
                log.debug("left: %d", len(self.queue))


def names(
    jobs,
):
    return [
        job.name
        for job in jobs
    ]


if __name__ == "__main__":
    print(names([Job("a")]))
