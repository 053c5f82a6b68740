import { copyFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../available.ts'
import { sample } from '../../depth.ts'
import { runPython } from '../../peers/run-peer.ts'
import { idOf, openStored, type StoredWorld } from './support/stored.ts'

const DATA = publicData('data/single_cell')

/**
 * A script that prints a line per file: ids, names of cells, and the bits of all numbers as doubles, gene by
 * gene.
 */
const READ = `
import base64, h5py, json, sys, numpy as np
for path in sys.argv[1:]:
  with h5py.File(path, "r") as f:
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

/** A script that writes tables in loom's layout with h5py, one in chunks of all rows; floats and large integers. */
const WRITE = `
import h5py, sys, numpy as np
rng = np.random.default_rng(9)
genes, cells = 120, 900
table = rng.poisson(0.3, (genes, cells)).astype("f8")
for kind, numbers, chunks in (("doubles", np.log1p(table * rng.random(cells)), (genes, 16)),
                              ("floats", np.log1p(table).astype("f4"), (1, cells)),
                              ("integers", (table * 2 ** 40).astype("i8"), (64, 64)),
                              ("bytes", table.astype("u1"), None)):
    with h5py.File("%s/%s.loom" % (sys.argv[1], kind), "w") as f:
        f.create_dataset("matrix", data=numbers, chunks=chunks, compression=chunks and "gzip")
        f["row_attrs/Accession"] = np.array(["ENSG%011d.%d" % (i, i % 9) for i in range(genes)], "S")
        f["col_attrs/CellID"] = np.array(["cell %d" % i for i in range(cells)], "S")
`

/** A script that writes a matrix in 10x's layout with unordered and repeated entries. */
const WRITE_SPARSE = `
import h5py, sys, numpy as np
rng = np.random.default_rng(10)
genes, cells, each = 150, 700, 40
with h5py.File("%s/twice.h5" % sys.argv[1], "w") as f:
    m = f.create_group("matrix")
    m["indices"] = rng.integers(0, genes, cells * each)
    m["data"] = rng.poisson(2, cells * each) - 1.0 + rng.random(cells * each).round(1)
    m["indptr"] = np.arange(0, cells * each + 1, each)
    m["shape"] = np.array([genes, cells], "i4")
    m["features/id"] = np.array(["ENSG%011d" % i for i in range(genes)], "S")
    m["barcodes"] = np.array(["cell %d" % i for i in range(cells)], "S")
`

/**
 * A script that writes files with h5py's defaults that no other program reads, and one in anndata's layout
 * without its encoding.
 */
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

const GIVEN = [
  'pbmc_chr21.lognorm.loom',
  'pbmc_chr21.counts.loom',
  '10x_v3_filtered_feature_bc_matrix.h5',
] as const
const WRITTEN = ['doubles.loom', 'floats.loom', 'integers.loom', 'bytes.loom', 'twice.h5'] as const

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
  /** The tables by the name of their file, read together because Python takes longer to start than to read them. */
  let tables: ReadonlyMap<string, Table>
  beforeAll(async () => {
    world = await openStored()
    const { from } = world
    const given = available.shared ? GIVEN : []
    for (const name of given) await copyFile(join(DATA, name), join(from, name))
    await runPython([WRITE, WRITE_SPARSE, WRITE_ODD].join('\n'), [from])
    const names = [...given, ...WRITTEN]
    const printed = await runPython(
      READ,
      names.map((name) => join(from, name)),
    )
    const lines = printed.trimEnd().split('\n')
    tables = new Map(lines.map((line, i) => [names[i] ?? '', JSON.parse(line) as Table]))
  })
  afterAll(() => world.close())

  /** Compares every number of each gene with its cell's name; the first two runs compare a sample of genes. */
  async function mustAgree(id: string, table: Table, job: string): Promise<void> {
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

  /** Compares both ways; while the numbers are moved away, the file itself is read. */
  async function mustAgreeInBothWays(id: string, name: string): Promise<void> {
    const path = join(world.from, name)
    const table = tables.get(name)
    if (!table) throw new Error(`h5py has not read ${name}`)
    await world.import([{ id, name, bytes: await readFile(path) }])
    await mustAgree(id, table, 'single-cell.print-genes')
    const other = { id: idOf(Number(id.slice(-3)) + 100), name, bytes: await readFile(path) }
    await world.import([other])
    const { numbers, directory } = world.paths(other.id)
    await rm(numbers)
    await rm(directory)
    // A folder in its place prevents it from being made again.
    await mkdir(join(numbers, 'taken'), { recursive: true })
    await mustAgree(other.id, table, 'single-cell.cells')
  }

  test.skipIf(!available.shared).each(GIVEN)('genes of %s are the same in both ways', (name) =>
    mustAgreeInBothWays(idOf(1 + GIVEN.indexOf(name)), name),
  )

  // twice.h5 has repeated entries.
  test.each(WRITTEN)('genes of %s, which h5py wrote, are the same in both ways', (name) =>
    mustAgreeInBothWays(idOf(4 + WRITTEN.indexOf(name)), name),
  )

  test('what h5py alone writes is refused by its name, with what to write in its place', async () => {
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
