"""What came of a number of kills."""

from dataclasses import dataclass, field


@dataclass
class Verdict:
    """Numbers of kills and of writes; `amid`: kills that fell between started and done. `sentences` tell every failure."""

    kills: int = 0
    amid: int = 0
    approved: int = 0
    done: int = 0
    taken_back: int = 0
    failed: int = 0
    unknown: int = 0
    doubled: int = 0
    lost: int = 0
    stuck: int = 0
    falsely_told: int = 0
    sentences: list[str] = field(default_factory=list)

    def add(self, other: "Verdict") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def complain(self, sentence: str, **numbers: int) -> None:
        """The failure is counted under these names."""
        self.sentences.append(sentence)
        for name, number in numbers.items():
            setattr(self, name, getattr(self, name) + number)

    def line(self) -> str:
        return (
            f"kills {self.kills} approved {self.approved} done {self.done} unknown {self.unknown} "
            f"doubled {self.doubled} lost {self.lost} stuck {self.stuck}"
        )
