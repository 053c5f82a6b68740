"""Answers questions with numpy, pandas, h5py and scipy: peer.py MATRIX FRAMES CELLS

Everything is loaded when it is first asked for. Each line of standard input is
{"way": ..., "question": {...}, "path": ...}; each line of the answer is
{"milliseconds": ..., "answer": ...}, where tables and bodies go to the path. What is timed begins
with the ids of the question and ends with the answer; loading and printing are left out.
"""
import json
import sys
import time
from functools import cached_property

import h5py
import numpy as np
import pandas as pd
import scipy
from scipy import stats

FIXED_SCALE = 10000
# Genes that are looked at together: what is computed of them stays in the processor's cache.
BLOCK = 100
# Smaller groups without equal values are judged exactly.
EXACT_BELOW = 50


class Expression:
    def __init__(self, folder):
        with open(f"{folder}/names.json") as file:
            names = json.load(file)
        self.genes = pd.Index([gene["id"] for gene in names["genes"]], name="gene_id")
        self.symbols = [gene["symbol"] for gene in names["genes"]]
        self.cases = pd.Index(names["cases"])
        fixed = np.fromfile(f"{folder}/values.u32", dtype=np.uint32)
        self.values = (fixed / FIXED_SCALE).reshape(len(self.genes), len(self.cases))

    def rows(self, question):
        return self.genes.get_indexer(question["genes"])

    def block(self, rows, columns):
        if len(columns) == len(self.cases):
            return self.values[rows]
        return self.values[np.ix_(rows, columns)]

    def part(self, question):
        rows = self.rows(question)
        columns = self.cases.get_indexer(question["cases"])
        values = self.block(rows, columns)
        if question["units"] == "uqfpkm":
            return values, rows, columns
        logs = np.log2(values + 1)
        return logs - np.median(logs, axis=1, keepdims=True), rows, columns

    def to_csv(self, question, path):
        values, rows, columns = self.part(question)
        frame = pd.DataFrame(values, index=self.genes[rows], columns=self.cases[columns])
        decimals = None if question["units"] == "uqfpkm" else "%.5f"
        frame.to_csv(path, sep="\t", float_format=decimals)

    def savetxt(self, question, path):
        values, _, _ = self.part(question)
        np.savetxt(path, values, fmt="%.5f", delimiter="\t")

    def select(self, question, _):
        rows = self.rows(question)
        columns = self.cases.get_indexer(question["cases"])
        deviations, medians = np.empty(len(rows)), np.empty(len(rows))
        for start in range(0, len(rows), BLOCK):
            logs = np.log2(self.block(rows[start : start + BLOCK], columns) + 1)
            deviations[start : start + BLOCK] = logs.std(axis=1)
            medians[start : start + BLOCK] = np.median(logs, axis=1)
        kept = np.flatnonzero((deviations > 0.0001) & (medians >= 1))
        order = np.lexsort((rows[kept], medians[kept], -deviations[kept]))
        chosen = kept[order[: question["size"]]]
        return [
            [self.genes[rows[i]], self.symbols[rows[i]], deviations[i], medians[i]] for i in chosen
        ]

    def differential(self, question, _):
        rows = self.rows(question)
        groups = [self.cases.get_indexer(question[name]) for name in ("cases", "others")]
        first, second = [np.log2(self.block(rows, columns) + 1) for columns in groups]
        tested = stats.mannwhitneyu(first, second, axis=1, method="asymptotic")
        statistics, probabilities = tested.statistic, tested.pvalue.copy()
        both = np.concatenate([first, second], axis=1)
        if max(map(len, groups)) < EXACT_BELOW:
            for row, values in enumerate(both):
                if len(np.unique(values)) == len(values):
                    exact = stats.mannwhitneyu(first[row], second[row], method="exact")
                    probabilities[row] = exact.pvalue
        probabilities[both.max(axis=1) == both.min(axis=1)] = np.nan
        changes = first.mean(axis=1) - second.mean(axis=1)
        corrected = adjusted(probabilities)
        return self.tested(
            rows, changes, statistics, exponents(probabilities), exponents(corrected)
        )

    def coexpression(self, question, _):
        rows = self.rows(question)
        columns = self.cases.get_indexer(question["cases"])
        own = self.genes.get_indexer([question["gene"]])
        values, given = [np.log2(self.block(some, columns) + 1) for some in (rows, own)]
        pearson = correlations(values, given[0])
        ranks = stats.rankdata(values, axis=1), stats.rankdata(given[0])
        spearman = correlations(*ranks)
        probabilities = [two_sided(one, len(columns)) for one in (pearson, spearman)]
        corrected = [adjusted(one) for one in probabilities]
        return self.tested(
            rows, pearson, spearman, *map(exponents, probabilities), *map(exponents, corrected)
        )

    def tested(self, rows, *columns):
        """A record for each gene, with nothing where a number is none."""
        table = np.stack(columns, axis=1)
        records = [
            [self.genes[row], *(None if np.isnan(number) else number for number in numbers)]
            for row, numbers in zip(rows, table)
        ]
        return sorted(records, key=lambda record: record[0])


def correlations(values, given):
    values = values - values.mean(axis=1, keepdims=True)
    given = given - given.mean()
    lengths = np.sqrt((values**2).sum(axis=1) * (given**2).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lengths > 0, values @ given / lengths, np.nan)


def two_sided(correlation, count):
    """Student's distribution, as pearsonr and spearmanr take it for many values."""
    freedom = count - 2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = correlation * np.sqrt(freedom / ((1 - correlation) * (1 + correlation)))
    return 2 * stats.t.sf(np.abs(t), freedom)


def adjusted(probabilities):
    """After Benjamini and Hochberg, over those that are known."""
    known = np.flatnonzero(~np.isnan(probabilities))
    order = known[np.argsort(-probabilities[known], kind="stable")]
    count = len(order)
    scaled = probabilities[order] * count / np.arange(count, 0, -1)
    corrected = np.full(len(probabilities), np.nan)
    corrected[order] = np.minimum(1, np.minimum.accumulate(scaled))
    return corrected


def exponents(probabilities):
    return np.log10(np.maximum(probabilities, 1e-300))


class Mutations:
    def __init__(self, folder):
        read = lambda name, **kinds: pd.read_csv(f"{folder}/{name}.csv", dtype=kinds)
        self.cases = read("cases", project="category")
        self.genes = read("genes", gene_id="string")
        self.gene_rows = pd.Index(self.genes.gene_id)
        self.ssm_genes = read("ssm_genes", impact="category")
        self.occurrences = read("occurrences")
        pairs = read("pairs")
        self.pairs = pairs.assign(project=self.cases.project.cat.codes.to_numpy()[pairs.case_row])
        self.starts = np.searchsorted(
            pairs.gene_row.to_numpy(), np.arange(len(self.genes) + 1)
        )

    def code(self, project):
        return self.cases.project.cat.categories.get_loc(project)

    def top(self, counts, names):
        """The ten greatest, equal ones by their names; rows are in order of names."""
        best = counts.sort_index().sort_values(ascending=False, kind="stable").head(10)
        return {"total": len(counts), "top": [[names[row], int(n)] for row, n in best.items()]}

    def top_genes(self, question, _):
        code = self.code(question["project"])
        if "impacts" not in question:
            found = self.pairs[self.pairs.project == code]
        else:
            wanted = self.ssm_genes[self.ssm_genes.impact.isin(question["impacts"])]
            wanted = wanted[["ssm_row", "gene_row"]].drop_duplicates()
            members = self.cases.project.cat.codes.to_numpy() == code
            here = self.occurrences[members[self.occurrences.case_row.to_numpy()]]
            found = here.merge(wanted, on="ssm_row")[["gene_row", "case_row"]].drop_duplicates()
        return self.top(found.groupby("gene_row").size(), self.genes.gene_id)

    def of_genes(self, question):
        """Pairs of the genes, which lie side by side."""
        rows = self.gene_rows.get_indexer(question["genes"])
        spans = [np.arange(self.starts[row], self.starts[row + 1]) for row in rows]
        return self.pairs.iloc[np.concatenate(spans)]

    def top_cases(self, question, _):
        found = self.of_genes(question)
        found = found[found.project == self.code(question["project"])]
        return self.top(found.groupby("case_row").size(), self.cases.case_id)

    def cases_of_genes(self, question, _):
        found = self.of_genes(question)
        members = found.drop_duplicates("case_row")
        cases = members.project.value_counts()
        is_member = np.zeros(len(self.cases), dtype=bool)
        is_member[members.case_row.to_numpy()] = True
        all_pairs = self.pairs.project[is_member[self.pairs.case_row.to_numpy()]].value_counts()
        mine = found.groupby(["project", "gene_row"]).size()
        names = self.cases.project.cat.categories
        buckets = []
        for project, count in cases.items():
            genes = [[self.genes.gene_id[row], int(n)] for row, n in mine[project].items()]
            genes.sort(key=lambda gene: (-gene[1], gene[0]))
            buckets.append([names[project], int(count), int(all_pairs[project]), genes])
        buckets.sort(key=lambda bucket: (-bucket[1], bucket[0]))
        return {"total": len(members), "buckets": buckets}

    def mutated_cases(self, _question, _path):
        found = self.cases.groupby("project").agg(
            cases=("case_row", "size"), categories=("categories", "sum"), mutated=("has_ssm", "sum")
        )
        buckets = [[name, *map(int, row)] for name, row in zip(found.index, found.to_numpy())]
        buckets.sort(key=lambda bucket: (-bucket[1], bucket[0]))
        return {"total": len(self.cases), "buckets": buckets}


class Cells:
    def __init__(self, path):
        file = h5py.File(path, "r")
        self.matrix = file["matrix"]
        accessions = file["row_attrs/Accession"].asstr()[:]
        self.rows = {name: row for row, name in enumerate(accessions)}
        self.names = list(file["col_attrs/CellID"].asstr()[:])

    def read(self, question, _=None):
        for gene in question["genes"]:
            self.matrix[self.rows[gene], :]

    def body(self, question, path):
        data = []
        for gene in question["genes"]:
            values = self.matrix[self.rows[gene], :].tolist()
            cells = [{"cell_id": name, "value": value} for name, value in zip(self.names, values)]
            data.append({"gene_id": gene, "cells": cells, "errors": []})
        with open(path, "w") as file:
            file.write(json.dumps({"data": data}))


class Peer:
    def __init__(self, matrix, frames, cells):
        self.places = {"matrix": matrix, "frames": frames, "cells": cells}

    expression = cached_property(lambda self: Expression(self.places["matrix"]))
    mutations = cached_property(lambda self: Mutations(self.places["frames"]))
    cells = cached_property(lambda self: Cells(self.places["cells"]))

    def way(self, name):
        ways = {
            "to_csv": lambda: self.expression.to_csv,
            "savetxt": lambda: self.expression.savetxt,
            "select": lambda: self.expression.select,
            "differential": lambda: self.expression.differential,
            "coexpression": lambda: self.expression.coexpression,
            "top-genes": lambda: self.mutations.top_genes,
            "top-cases": lambda: self.mutations.top_cases,
            "cases-of-genes": lambda: self.mutations.cases_of_genes,
            "mutated-cases": lambda: self.mutations.mutated_cases,
            "cells": lambda: self.cells.body,
            "rows": lambda: self.cells.read,
        }
        return ways[name]()


def main(matrix, frames, cells):
    peer = Peer(matrix, frames, cells)
    versions = {"numpy": np.__version__, "pandas": pd.__version__, "h5py": h5py.__version__}
    versions["scipy"] = scipy.__version__
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        way = peer.way(asked["way"])
        start = time.perf_counter()
        answer = way(asked["question"], asked["path"])
        milliseconds = (time.perf_counter() - start) * 1000
        print(json.dumps({"milliseconds": milliseconds, "answer": answer}), flush=True)


main(*sys.argv[1:])
