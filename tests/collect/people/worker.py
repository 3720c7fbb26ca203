"""A person who answers without end, to be killed: ``python -m tests.collect.people.worker STUDY CODE``."""

import sys
from itertools import count

from dialgauge.collect.people import open_people
from dialgauge.io.study import read_study


def work(study: str, code: str) -> None:
    """Answer again and again with rising values, and say each answer once it was acknowledged."""
    folder = read_study(study)
    with folder.open_store() as store:
        people = open_people(folder, store)
        rater = people.enter(code)
        task = people.next_task(rater)
        if task is None:
            return
        for i in count():
            answer = people.answer(rater, task.target.id, "ease", 1.0 + i % 5)
            sys.stdout.write(f"{rater} {task.target.id} {answer.revision} {answer.value:g}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    work(*sys.argv[1:])
