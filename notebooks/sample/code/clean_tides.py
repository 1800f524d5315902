"""Clean the raw files of the tide gauges.

The gauges at the pier (TG-1), at Ponta do Cuíca (TG-2) and in the Enseada Funda (TG-3) send one file a day. This
script reads such a file, corrects and checks the heights, and writes a file with the columns of the data dictionary.

The steps run in this order, and the order matters:

1. add the offset of the gauge, where one is in force;
2. mark values outside the physical range of the gauge as bad (flag 4);
3. mark isolated spikes as suspect (flag 3), with a running median;
4. fill short gaps by straight lines (flag 2), and leave long ones missing (flag 9); bad and suspect values stay as
   they are, with their flags.

Spikes are looked for before gaps are filled, because in 2028 the script did it the other way round, and one frigatebird
became an hour of invented high water.

Usage::

    python clean_tides.py raw/TG-2_20310407.csv clean/TG-2_20310407.csv --settings pipeline.toml
"""

from __future__ import annotations

import argparse
import csv
import itertools
import statistics
import sys
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

MISSING = -999.9
GOOD, INTERPOLATED, SUSPECT, BAD, ABSENT = 1, 2, 3, 4, 9

# Eleven values are about an hour. A wider window eats the sharp turn of the tide in the channel.
WINDOW = 11

# A value is a spike when it is further from the running median than this many scaled deviations. At 3.0 the wash of
# the ferry was flagged twice a week.
SPIKE_LIMIT = 4.5

# The radar cannot see differences below a centimetre, so a perfectly calm hour must not make every ripple a spike.
SMALLEST_DEVIATION_M = 0.012

# Longer gaps stay empty: over more than this the straight line misses the curve by more than four centimetres.
LONGEST_GAP = timedelta(minutes=42)


@dataclass
class Reading:
    """One value of one gauge."""

    time: datetime
    gauge: str
    raw: float | None
    height: float | None
    flag: int = GOOD


def read_raw(path: Path) -> list[Reading]:
    """Read a raw file, sorted by time; of two lines with the same time, the later one wins."""
    by_time: dict[datetime, Reading] = {}
    with path.open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            time = datetime.fromisoformat(row["time_utc"]).astimezone(UTC)
            value = float(row["height_raw_m"])
            raw = None if value == MISSING else value
            by_time[time] = Reading(time, row["gauge"], raw, raw, GOOD if raw is not None else ABSENT)
    return [by_time[time] for time in sorted(by_time)]


def add_offset(readings: list[Reading], gauge: dict[str, Any]) -> None:
    """Correct the heights from the day on which the offset came into force."""
    since = gauge.get("offset_since")
    for reading in readings:
        if reading.height is not None and since is not None and reading.time.date() >= since:
            reading.height += gauge["offset_m"]


def mark_impossible(readings: list[Reading], gauge: dict[str, Any]) -> None:
    """Flag what the sea cannot do at this gauge."""
    for reading in readings:
        if reading.height is not None and not gauge["lowest_m"] <= reading.height <= gauge["highest_m"]:
            reading.flag = BAD


def mark_spikes(readings: list[Reading]) -> None:
    """Flag isolated values by their distance from a running median, after taking out the slope of the tide."""
    usable = [(reading, reading.height) for reading in readings if reading.flag == GOOD and reading.height is not None]
    times = [reading.time.timestamp() for reading, _ in usable]
    heights = [height for _, height in usable]
    half = WINDOW // 2
    for index in range(half, len(usable) - half):
        before, after = slice(index - half, index), slice(index + 1, index + half + 1)
        rise = statistics.median(heights[after]) - statistics.median(heights[before])
        slope = rise / (statistics.median(times[after]) - statistics.median(times[before]))
        near = range(index - half, index + half + 1)
        around = [heights[place] - slope * (times[place] - times[index]) for place in near]
        middle = statistics.median(around)
        deviation = statistics.median(abs(height - middle) for height in around) * 1.4826
        if abs(heights[index] - middle) > SPIKE_LIMIT * max(deviation, SMALLEST_DEVIATION_M):
            usable[index][0].flag = SUSPECT


def fill_gaps(readings: list[Reading], interval: timedelta) -> list[Reading]:
    """Return the series with a value for each step; missing ones are filled where the good neighbours are near."""
    good = [reading for reading in readings if reading.flag == GOOD]
    if not good:
        return readings
    kept = {reading.time: reading for reading in readings}
    filled = [reading for reading in readings if reading.time < good[0].time]
    for left, right in itertools.pairwise(good):
        filled.append(left)
        gap = right.time - left.time
        for step in range(1, round(gap / interval)):
            time = left.time + step * interval
            reading = kept.get(time, Reading(time, left.gauge, None, None, ABSENT))
            if reading.flag == ABSENT and gap <= LONGEST_GAP and left.height is not None and right.height is not None:
                share = (time - left.time) / gap
                reading.height = left.height + share * (right.height - left.height)
                reading.flag = INTERPOLATED
            filled.append(reading)
    return filled + [reading for reading in readings if reading.time >= good[-1].time]


def write_clean(path: Path, readings: list[Reading]) -> None:
    """Write the columns of the data dictionary, with millimetres."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["time_utc", "gauge", "height_raw_m", "height_m", "flag"])
        for reading in readings:
            raw = MISSING if reading.raw is None else round(reading.raw, 3)
            height = MISSING if reading.height is None else round(reading.height, 3)
            writer.writerow([reading.time.strftime("%Y-%m-%dT%H:%M:%SZ"), reading.gauge, raw, height, reading.flag])


def main() -> int:
    """Clean one file; the exit status is 2 when less than four fifths of the values are usable."""
    parser = argparse.ArgumentParser(description="Clean one raw file of a tide gauge.")
    parser.add_argument("raw", type=Path)
    parser.add_argument("clean", type=Path)
    parser.add_argument("--settings", type=Path, default=Path(__file__).with_name("pipeline.toml"))
    arguments = parser.parse_args()

    settings = tomllib.loads(arguments.settings.read_text(encoding="utf-8"))
    readings = read_raw(arguments.raw)
    if not readings:
        sys.stderr.write(f"{arguments.raw}: no readings\n")
        return 2
    gauge = settings["gauges"][readings[0].gauge]
    add_offset(readings, gauge)
    mark_impossible(readings, gauge)
    mark_spikes(readings)
    clean = fill_gaps(readings, timedelta(minutes=settings["series"]["interval_minutes"]))
    write_clean(arguments.clean, clean)

    usable = sum(reading.flag in (GOOD, INTERPOLATED) for reading in clean)
    sys.stderr.write(f"{arguments.raw}: {usable} of {len(clean)} values usable\n")
    return 0 if clean and usable >= 0.8 * len(clean) else 2


if __name__ == "__main__":
    raise SystemExit(main())
