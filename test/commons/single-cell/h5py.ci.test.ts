import { copyFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../available.ts'
import { sample } from '../../depth.ts'
import { runPython } from '../../peers/run-peer.ts'
import { idOf, openStored, type StoredWorld } from './support/stored.ts'

const DATA = publicData('data/single_cell')

/** Prints ids, names of cells, and the bits of all numbers as doubles, gene after gene. */
const READ = `
import base64, h5py, json, sys, numpy as np
with h5py.File(sys.argv[1], "r") as f:
    if isinstance(f["matrix"], h5py.Dataset):
        table = f["matrix"][:].astype("<f8")
        genes, cells = f["row_attrs/Accession"][:], f["col_attrs/CellID"][:]
    else:
        m = f["matrix"]
        genes, cells = m["features/id"][:], m["barcodes"][:]
        starts = m["indptr"][:]
        table = np.zeros(tuple(m["shape"][:]), "<f8")
        of = np.repeat(np.arange(len(cells)), np.diff(starts.astype("i8")))
        np.add.at(table, (m["indices"][:], of), m["data"][:])
    text = lambda all: [x.decode() if isinstance(x, bytes) else x for x in all]
    bits = base64.b64encode(np.ascontiguousarray(table).tobytes()).decode()
    print(json.dumps({"genes": text(genes), "cells": text(cells), "bits": bits}))
`

/** A table of the layout of loom as h5py writes it, in chunks of all rows; floats and large integers. */
const WRITE = `
import h5py, sys, numpy as np
rng = np.random.default_rng(9)
kind, path = sys.argv[1:]
genes, cells = 120, 900
table = rng.poisson(0.3, (genes, cells)).astype("f8")
table = {"doubles": np.log1p(table * rng.random(cells)), "floats": np.log1p(table).astype("f4"),
         "integers": (table * 2 ** 40).astype("i8"), "bytes": table.astype("u1")}[kind]
with h5py.File(path, "w") as f:
    chunks = {"doubles": (genes, 16), "floats": (1, cells), "integers": (64, 64), "bytes": None}[kind]
    f.create_dataset("matrix", data=table, chunks=chunks, compression=chunks and "gzip")
    f["row_attrs/Accession"] = np.array(["ENSG%011d.%d" % (i, i % 9) for i in range(genes)], "S")
    f["col_attrs/CellID"] = np.array(["cell %d" % i for i in range(cells)], "S")
`

/** A matrix of the layout of 10x whose entries are in no order within a cell, and some there twice. */
const WRITE_SPARSE = `
import h5py, sys, numpy as np
rng = np.random.default_rng(10)
genes, cells, each = 150, 700, 40
with h5py.File(sys.argv[1], "w") as f:
    m = f.create_group("matrix")
    m["indices"] = rng.integers(0, genes, cells * each)
    m["data"] = rng.poisson(2, cells * each) - 1.0 + rng.random(cells * each).round(1)
    m["indptr"] = np.arange(0, cells * each + 1, each)
    m["shape"] = np.array([genes, cells], "i4")
    m["features/id"] = np.array(["ENSG%011d" % i for i in range(genes)], "S")
    m["barcodes"] = np.array(["cell %d" % i for i in range(cells)], "S")
`

/** Files of h5py's defaults that nobody else reads, and one of the layout of anndata without its encoding. */
const WRITE_ODD = `
import h5py, sys, numpy as np
for kind in ("lzf", "float16", "bool", "h5ad"):
    with h5py.File("%s/%s.h5" % (sys.argv[1], kind), "w") as f:
        table = np.arange(20).reshape(4, 5)
        if kind == "h5ad":
            f["X"], f["obs/_index"], f["var/_index"] = table, [b"c"] * 4, [b"g"] * 5
            continue
        types = {"lzf": "f4", "float16": "f2", "bool": "?"}
        f.create_dataset("matrix", data=table.astype(types[kind]), compression="lzf" if kind == "lzf" else None)
        f["row_attrs/Accession"], f["col_attrs/CellID"] = [b"g1", b"g2", b"g3", b"g4"], [b"c"] * 5
`

interface Table {
  readonly genes: readonly string[]
  readonly cells: readonly string[]
  readonly bits: string
}

interface Element {
  readonly gene_id: string
  readonly cells: readonly { readonly cell_id: string; readonly value: number }[]
}

const GENES_AT_ONCE = 10

describe.skipIf(!available.numpy)('what h5py reads', () => {
  let world: StoredWorld
  beforeAll(async () => {
    world = await openStored()
  })
  afterAll(() => world.close())

  /** Every number of genes, a sample of them in the first two runs, with the name of its cell. */
  async function mustAgree(id: string, path: string, job: string): Promise<void> {
    const table = JSON.parse(await runPython(READ, [path])) as Table
    const bytes = Buffer.from(table.bits, 'base64')
    const target = new Float64Array(table.genes.length * table.cells.length)
    Buffer.from(target.buffer).set(bytes)
    expect(bytes.length).toBe(target.byteLength)
    const count = Math.ceil(table.genes.length / GENES_AT_ONCE)
    const firsts = Array.from({ length: count }, (_, i) => i * GENES_AT_ONCE)
    for (const first of sample(firsts, 12)) {
      const geneIds = table.genes.slice(first, first + GENES_AT_ONCE)
      world.jobs.length = 0
      const { data } = JSON.parse((await world.ask(id, geneIds)).toString()) as {
        readonly data: readonly Element[]
      }
      expect(world.jobs).toContain(job)
      for (const [i, { cells }] of data.entries()) {
        const row = target
          .subarray((first + i) * table.cells.length)
          .subarray(0, table.cells.length)
        expect(Float64Array.from(cells, ({ value }) => value)).toEqual(row)
        if (first === 0) expect(cells.map(({ cell_id: cell }) => cell)).toEqual(table.cells)
      }
    }
  }

  /** In both ways; so long as the directory lies elsewhere, the file itself is read. */
  async function mustAgreeInBothWays(id: string, name: string): Promise<void> {
    const path = join(world.from, name)
    await world.import([{ id, name, bytes: await readFile(path) }])
    await mustAgree(id, path, 'single-cell.print-genes')
    const other = { id: idOf(Number(id.slice(-3)) + 100), name, bytes: await readFile(path) }
    await world.import([other])
    const { numbers, directory } = world.paths(other.id)
    await rm(numbers)
    await rm(directory)
    // A folder in its place keeps it from being made again.
    await mkdir(join(numbers, 'taken'), { recursive: true })
    await mustAgree(other.id, path, 'single-cell.cells')
  }

  test.skipIf(!available.shared).each([
    [1, 'pbmc_chr21.lognorm.loom'],
    [2, 'pbmc_chr21.counts.loom'],
    [3, '10x_v3_filtered_feature_bc_matrix.h5'],
  ])('%i: genes of %s are the same in both ways', async (number, name) => {
    await copyFile(join(DATA, name), join(world.from, name))
    await mustAgreeInBothWays(idOf(number), name)
  })

  test.each([
    [4, 'doubles'],
    [5, 'floats'],
    [6, 'integers'],
    [7, 'bytes'],
  ])(
    '%i: genes of a table of %s that h5py wrote are the same in both ways',
    async (number, kind) => {
      const name = `${kind}.loom`
      await runPython(WRITE, [kind, join(world.from, name)])
      await mustAgreeInBothWays(idOf(number), name)
    },
  )

  test('genes of a sparse matrix with entries twice are the same in both ways', async () => {
    await runPython(WRITE_SPARSE, [join(world.from, 'twice.h5')])
    await mustAgreeInBothWays(idOf(8), 'twice.h5')
  })

  test('what h5py alone writes is refused by its name, with what to write in its place', async () => {
    await runPython(WRITE_ODD, [world.from])
    const refusals: string[] = []
    for (const [i, kind] of ['lzf', 'float16', 'bool', 'h5ad'].entries()) {
      const [id, name] = [idOf(20 + i), `${kind}.h5`]
      await world.import([{ id, name, bytes: await readFile(join(world.from, name)) }])
      refusals.push(await world.ask(id, ['g1']).then(String, ({ message }: Error) => message))
    }
    expect(refusals).toEqual([
      expect.stringContaining(
        '"/matrix" is compressed by LZF; write it anew with compression="gzip"',
      ),
      expect.stringContaining('"/matrix" holds float16; write it anew as float32 or float64'),
      expect.stringContaining('"/matrix" holds bool; write it anew as uint8'),
      expect.stringMatching(/its "\/obs" is not in the encoding of anndata 0\.8; write it anew/),
    ])
  })
})
