"""Makes a loom file of numbers that depend on its size alone: make_cells.py PATH GENES CELLS

Numbers are ln(1 + count * 10000 / total of the cell), and most are zero, as in published files.
"""
import sys

import h5py
import numpy as np

CHUNK = 64


def mixed(numbers):
    """Unrelated 32 bits for neighbouring numbers (the finisher of MurmurHash3)."""
    bits = numbers.astype(np.uint32)
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13)):
        bits ^= bits >> np.uint32(shift)
        bits *= np.uint32(factor)
    return bits ^ (bits >> np.uint32(16))


def main(path, genes, cells):
    places = np.arange(cells, dtype=np.uint32)
    totals = 2000.0 + mixed(places + np.uint32(77)) % 20000
    with h5py.File(path, "w") as file:
        shape, chunks = (genes, cells), (min(CHUNK, genes), min(CHUNK, cells))
        matrix = file.create_dataset("matrix", shape, "f8", chunks=chunks, compression="gzip")
        for start in range(0, genes, CHUNK):
            rows = np.arange(start, min(start + CHUNK, genes), dtype=np.uint32)[:, None]
            bits = mixed(rows * np.uint32(0x9E3779B1) ^ places[None, :])
            counts = np.where(bits % 100 < 10, 1 + (bits >> 16) % 7, 0)
            matrix[start : start + CHUNK] = np.log1p(counts * 10000.0 / totals)
        names = [f"ENSG{900000000 + gene:011d}" for gene in range(genes)]
        file["row_attrs/Accession"] = np.array(names, dtype="S")
        file["row_attrs/Gene"] = np.array([f"GENE{gene}" for gene in range(genes)], dtype="S")
        letters = np.array(list("ACGT"))
        codes = (places[:, None] >> (2 * np.arange(16, dtype=np.uint32))) & 3
        barcodes = ["".join(letters[row]) + "-1" for row in codes]
        file["col_attrs/CellID"] = np.array(barcodes, dtype="S")


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
