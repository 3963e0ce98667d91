"""Deduplicates one world with Splink and prints its best pairwise F1 as JSON: splink_world.py FILE.parquet COLUMN...

The model is the one of Splink's own examples (quickstart, 50k historical people, FEBRL): the comparison that the library
offers for each kind of column, u from random pairs, m by EM on two or three blocking rules.
"""

import json
import sys
import time

import duckdb
import splink.comparison_library as cl
from splink import DuckDBAPI, Linker, SettingsCreator, __version__, block_on

PREPARED = """
    create table records as select
        row_number() over (order by record_id) as unique_id,
        truth, source_id, * exclude (record_id, truth, source_id)
        {full_name}
    from read_parquet('{file}')
"""

COMPARISONS = {
    "middle_name": lambda: cl.NameComparison("middle_name"),
    "birth_date": lambda: cl.DateOfBirthComparison("birth_date", input_is_string=True),
    "email": lambda: cl.EmailComparison("email"),
    "phone": lambda: cl.DamerauLevenshteinAtThresholds("phone", [1, 2]),
    "national_id": lambda: cl.DamerauLevenshteinAtThresholds("national_id", [1, 2]),
    "street_name": lambda: cl.JaroAtThresholds("street_name", [0.9, 0.7]),
    "zip": lambda: cl.DamerauLevenshteinAtThresholds("zip", [1, 2]),
}
# Blocking rules for prediction, as far as a world has their columns.
BLOCKING = [
    ("first_name", "last_name"),
    ("last_name", "birth_date"),
    ("first_name", "birth_date"),
    ("first_name", "zip"),
    ("last_name", "zip"),
    ("first_name", "city"),
    ("last_name", "city"),
    ("first_name", "street_name"),
    ("birth_date", "zip"),
    ("birth_date", "city"),
    ("email",),
    ("phone", "first_name"),
    ("phone", "last_name"),
    ("national_id",),
    ("last_name", "employer"),
    ("last_name", "occupation"),
    ("substr(first_name, 1, 3)", "substr(last_name, 1, 4)"),
]
DETERMINISTIC = [
    ("first_name", "last_name", "birth_date"),
    ("first_name", "last_name", "zip"),
    ("first_name", "last_name", "phone"),
    ("last_name", "email"),
]
# Two models, of which the better counts: both names as one comparison, or each by itself. EM learns nothing about the columns that
# its blocking rule has, so the rules differ.
TRAINING = {
    "one": [("first_name", "last_name"), ("birth_date",), ("email",), ("phone",), ("city", "occupation"), ("employer",)],
    "each": [
        ("first_name", "last_name"),
        ("first_name", "birth_date"),
        ("last_name", "birth_date"),
        ("first_name", "zip"),
        ("last_name", "zip"),
        ("first_name", "city"),
        ("last_name", "city"),
    ],
}
MOST_RULES = 4
RECALL = 0.7
LEAST_WEIGHT = -10


def rules(candidates, columns):
    def is_there(rule):
        return all(any(name in part for name in columns) for part in rule)

    return [block_on(*rule) for rule in candidates if is_there(rule)]


def comparisons(columns, names):
    found = []
    if names == "one":
        found.append(
            cl.ForenameSurnameComparison("first_name", "last_name", forename_surname_concat_col_name="full_name")
        )
    else:
        found += [cl.NameComparison(name) for name in ("first_name", "last_name") if name in columns]
    for name in columns:
        if name in ("first_name", "last_name"):
            continue
        exact = cl.ExactMatch(name).configure(term_frequency_adjustments=True)
        found.append(COMPARISONS[name]() if name in COMPARISONS else exact)
    return found


def best_clusters(edges, records, is_duplicate_free):
    """Joins clusters edge by edge, the strongest first, and keeps the best pairwise F1 of all thresholds."""
    truths, sources, sizes = {}, {}, {}
    parent = {}
    for record, truth, source in records:
        parent[record] = record
        truths[record] = {truth: 1}
        sources[record] = {source}
        sizes[truth] = sizes.get(truth, 0) + 1
    true_pairs = sum(size * (size - 1) // 2 for size in sizes.values())
    best = {"f1": 0.0, "precision": 1.0, "recall": 0.0, "threshold": None}
    found = common = 0

    def root(record):
        while parent[record] != record:
            parent[record] = parent[parent[record]]
            record = parent[record]
        return record

    for at, (left, right, weight) in enumerate(edges):
        one, other = root(left), root(right)
        joins = one != other and not (is_duplicate_free and sources[one] & sources[other])
        if joins:
            if sum(truths[one].values()) < sum(truths[other].values()):
                one, other = other, one
            found += sum(truths[one].values()) * sum(truths[other].values())
            for truth, count in truths[other].items():
                common += count * truths[one].get(truth, 0)
                truths[one][truth] = truths[one].get(truth, 0) + count
            sources[one] |= sources[other]
            parent[other] = one
        is_last = at + 1 == len(edges) or edges[at + 1][2] != weight
        f1 = 2 * common / max(1, found + true_pairs)
        if is_last and f1 > best["f1"]:
            best = {
                "f1": f1,
                "precision": common / found,
                "recall": common / true_pairs,
                "threshold": round(1 / (1 + 2.0**-weight), 6),
            }
    return best


def edges_of(connection, columns, names):
    """Trains one model and returns its pairs, the strongest first."""
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=comparisons(columns, names),
        blocking_rules_to_generate_predictions=rules(BLOCKING, columns),
        retain_matching_columns=False,
    )
    linker = Linker(DuckDBAPI(connection=connection).register("records"), settings, log_level=None)
    linker.training.estimate_probability_two_random_records_match(rules(DETERMINISTIC, columns), recall=RECALL)
    linker.training.estimate_u_using_random_sampling(max_pairs=5e6, seed=1)
    for rule in rules(TRAINING[names], columns)[:MOST_RULES]:
        linker.training.estimate_parameters_using_expectation_maximisation(rule)
    predicted = linker.inference.predict(threshold_match_weight=LEAST_WEIGHT, warning_mode="never")
    return connection.execute(
        f"select unique_id_l, unique_id_r, match_weight from {predicted.physical_name} "
        "order by match_weight desc, unique_id_l, unique_id_r"
    ).fetchall()


def main():
    file, kind, *columns = sys.argv[1:]
    started = time.monotonic()
    found = []
    for names in TRAINING:
        connection = duckdb.connect()
        connection.execute("set threads = 2")
        full_name = ", first_name || ' ' || last_name as full_name"
        connection.execute(PREPARED.format(file=file.replace("'", "''"), full_name=full_name))
        edges = edges_of(connection, columns, names)
        records = connection.execute("select unique_id, truth, source_id from records").fetchall()
        found.append({**best_clusters(edges, records, kind == "duplicate-free"), "names": names, "edges": len(edges)})
        connection.close()
    best = max(found, key=lambda one: one["f1"])
    print(json.dumps({**best, "seconds": round(time.monotonic() - started, 1), "version": __version__}))


main()
