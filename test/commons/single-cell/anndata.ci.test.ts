import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../../available.ts'
import { runPython } from '../../peers/run-peer.ts'
import { idOf, openStored, type StoredWorld } from './support/stored.ts'

/**
 * Writes a file with anndata 0.8: `X` has the given kind and type, with annotations of every encoding. The
 * column `barcode`, if present, names the cells. In `odd`, the lists of each gene are reversed and an entry is
 * repeated.
 */
const WRITE = `
import sys, warnings
warnings.simplefilter("ignore")
import anndata, h5py, numpy as np, pandas as pd, scipy.sparse as sparse
def write(path, kind, type, compression):
  rng = np.random.default_rng(21)
  cells, genes = 900, 130
  table = rng.poisson(0.4, (cells, genes)) * (2 ** 35 if type == "int64" else 1)
  table = np.log1p(table * rng.random(cells)[:, None]).astype(type) if type.startswith("float") else table.astype(type)
  if type.startswith("float"): table[5, 7] = np.nan
  obs = pd.DataFrame({
      "type": pd.Categorical.from_codes(rng.integers(-1, 3, cells), ["T cell", "B cell", "na\\u00efve"]),
      "batch": pd.Categorical(rng.integers(4, 7, cells)),
      "cluster": rng.integers(-1, 9, cells).astype("i4"),
      "score": rng.random(cells),
      "kept": rng.random(cells) > 0.5,
      "depth": pd.array([None if x == 3 else x for x in rng.integers(0, 9, cells)], dtype="Int64"),
      "sure": pd.array([[True, False, None][x] for x in rng.integers(0, 3, cells)], dtype="boolean"),
  }, index=pd.Index(["cell \\u03b1 %d" % i for i in range(cells)], name="barcode"))
  var = pd.DataFrame({"symbol": ["S%d" % i for i in range(genes)]}, index=["ENSG%011d.%d" % (i, i % 9) for i in range(genes)])
  x = {"dense": lambda: table, "csr": lambda: sparse.csr_matrix(table), "csc": lambda: sparse.csc_matrix(table), "odd": lambda: sparse.csc_matrix(table)}[kind]()
  made = anndata.AnnData(x, obs=obs, var=var, dtype=type)
  made.raw, made.layers["counts"] = made, x.copy()
  made.write_h5ad(path, compression=None if compression == "none" else compression)
  if kind == "odd":
      with h5py.File(path, "r+") as f:
          starts, indices, data = f["X/indptr"][:], f["X/indices"][:], f["X/data"][:]
          for a, b in zip(starts[:-1], starts[1:]):
              indices[a:b], data[a:b] = indices[a:b][::-1], data[a:b][::-1]
          indices[0] = indices[2]
          f["X/indices"][:], f["X/data"][:] = indices, data
for line in sys.argv[1:]: write(*line.split(","))
`

/** A script that prints names and the bits of all numbers as doubles with h5py, gene by gene. */
const READ = `
import base64, h5py, json, sys, numpy as np
with h5py.File(sys.argv[1], "r") as f:
    text = lambda all: [x.decode() for x in all]
    names = lambda table: text(f[table][f[table].attrs["_index"]][:])
    genes, cells, x = names("var"), names("obs"), f["X"]
    table = np.zeros((len(genes), len(cells)), "<f8")
    if isinstance(x, h5py.Dataset): table += x[:].T
    else:
        starts = x["indptr"][:].astype("i8")
        of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        by_gene = x.attrs["encoding-type"] == "csc_matrix"
        np.add.at(table, (of, x["indices"][:]) if by_gene else (x["indices"][:], of), x["data"][:])
    bits = base64.b64encode(np.ascontiguousarray(table).tobytes()).decode()
    print(json.dumps({"genes": genes, "cells": cells, "bits": bits}))
`

/** A script that prints annotations as pandas reads them from anndata's table, missing ones as "". */
const READ_ANNOTATIONS = `
import sys, warnings
warnings.simplefilter("ignore")
import anndata, json, pandas as pd
obs = anndata.read_h5ad(sys.argv[1]).obs
print(json.dumps({name: ["" if pd.isna(x) else str(x) for x in obs[name]] for name in obs}))
`

/** A script that copies a file for each change and makes one thing in it invalid. */
const SPOIL = `
import h5py, shutil, sys
path, *changes = sys.argv[1:]
for i, change in enumerate(changes):
    to = path.replace("base", "spoiled-%d" % i)
    shutil.copy(path, to)
    with h5py.File(to, "r+") as f: exec(change)
`

/** The command in the refusal of an older file. */
const WRITE_ANEW = `
import sys, warnings
warnings.simplefilter("ignore")
import anndata
anndata.read_h5ad(sys.argv[1]).write_h5ad(sys.argv[2])
`

interface Table {
  readonly genes: readonly string[]
  readonly cells: readonly string[]
  readonly bits: string
}

interface Element {
  readonly cells: readonly { readonly cell_id: string; readonly value: number | null }[]
  readonly errors: readonly string[]
}

/** The name of each file, the kind and type of its `X`, and its compression. */
const KINDS = [
  ['table', 'dense', 'float32', 'none'],
  ['packed-table', 'dense', 'float64', 'gzip'],
  ['integers', 'dense', 'int64', 'none'],
  ['base', 'csr', 'float32', 'none'],
  ['packed', 'csr', 'int32', 'gzip'],
  ['by-gene', 'csc', 'float64', 'gzip'],
  ['out-of-order', 'odd', 'float32', 'none'],
] as const

/** A script that converts a file to the format of anndata 0.7, which stored categories in "__categories". */
const AGED = `
import numpy as np
c = f["obs/type/codes"][:]
k = f["obs/type/categories"][:]
del f["obs/type"]
f["obs/type"] = c
f["obs/__categories/type"] = k
f["obs/type"].attrs["categories"] = f["obs/__categories/type"].ref
[f[t].attrs.__setitem__("encoding-version", "0.1.0") for t in ("obs", "var")]
[f.__delitem__("obs/" + n) for n in ("batch", "depth", "sure")]
f["obs"].attrs["column-order"] = ["type", "cluster", "score", "kept"]
[f.attrs.__delitem__(n) for n in list(f.attrs)]
`

const GENE = 'ENSG00000000000.0'

/** The changes to a valid file, and the error of each. */
const SPOILED = [
  ['del f["X"]', /has no "\/X", which alone is read.* raw, layers\["counts"\].* adata\.raw\.to/],
  ['del f["X"], f["raw"]', /other matrices: layers\["counts"\];.* adata\.X = adata\.layers/],
  ['del f["X"], f["raw"], f["layers"]', /has no "\/X"; write it anew with one/],
  ['f["X"].attrs["encoding-type"] = "coo"', /the encoding "coo"; write it anew .*"csr_matrix"/],
  ['del f["X/indptr"]', /"\/X" has no "\/X\/indptr"/],
  ['f["obs"].attrs["encoding-version"] = "0.1.0"', /"\/obs" is not in the encoding of anndata 0/],
  ['del f["var"].attrs["_index"]', /"\/var" does not say by "_index" which column/],
  ['f["X/indices"][3] = 130', /"\/X\/indices" names row 130 of 130/],
  ['f["X/indptr"][900] = 5', /"\/X\/indptr" does not lead from 0 to/],
  ['del f["X"]; f["X"] = [[True] * 130] * 900', /"\/X" holds bool; write it anew as uint8/],
  ['del f["X"]; f["X"] = [[1] * 130] * 899', /not a table of numbers of 900 cells and 130 genes/],
] as const

interface Annotated {
  readonly [name: string]: readonly string[]
}

describe.skipIf(!available.anndata)('h5ad files that anndata 0.8 writes', () => {
  let world: StoredWorld
  /** The messages of the last import. */
  let told: readonly string[] = []
  const pathOf = (name: string) => join(world.from, `${name}.h5ad`)
  beforeAll(async () => {
    world = await openStored()
    const lines = KINDS.map(([name, ...how]) => [pathOf(name), ...how].join(','))
    await runPython(WRITE, lines)
    await runPython(SPOIL, [pathOf('base'), AGED, ...SPOILED.map(([change]) => change)])
  })
  afterAll(() => world.close())

  async function store(number: number, path: string): Promise<string> {
    const id = idOf(number)
    told = await world.import([{ id, name: `${number}.h5ad`, bytes: await readFile(path) }])
    return id
  }

  async function mustAgree(id: string, path: string, job: string): Promise<void> {
    const table = JSON.parse(await runPython(READ, [path])) as Table
    const { buffer, byteOffset } = Buffer.from(table.bits, 'base64')
    for (let first = 0; first < table.genes.length; first += 40) {
      const geneIds = table.genes.slice(first, first + 10)
      world.jobs.length = 0
      const { data } = JSON.parse((await world.ask(id, geneIds)).toString()) as {
        readonly data: readonly Element[]
      }
      expect(world.jobs).toContain(job)
      for (const [i, { cells }] of data.entries()) {
        const start = 8 * (first + i) * table.cells.length
        const bytes = new Uint8Array(buffer, byteOffset + start, 8 * table.cells.length).slice()
        const expected = Array.from(new Float64Array(bytes.buffer), (value) =>
          Number.isNaN(value) ? null : value,
        )
        expect(cells.map(({ value }) => value)).toEqual(expected)
        if (first === 0) expect(cells.map(({ cell_id: cell }) => cell)).toEqual(table.cells)
      }
    }
  }

  test.each(KINDS.map(([name], i) => [name, i] as const))(
    '%s has the numbers that h5py reads, in both ways',
    async (name, number) => {
      const path = pathOf(name)
      await mustAgree(await store(number, path), path, 'single-cell.print-genes')
      expect(told).toEqual(['only its main matrix is read, not raw, layers["counts"]'])
      const other = await store(number + 100, path)
      const { numbers, directory } = world.paths(other)
      await rm(numbers)
      await rm(directory)
      // A folder in its place prevents it from being made again.
      await mkdir(join(numbers, 'taken'), { recursive: true })
      await mustAgree(other, path, 'single-cell.cells')
    },
  )

  test('annotations of every encoding have the values that pandas reads', async () => {
    const path = pathOf('base')
    const id = await store(30, path)
    const ask = (annotation?: string) =>
      world.engine.commons.singleCell.annotations({
        caseId: undefined,
        fileId: id,
        annotation,
        token: undefined,
      })
    const { annotations } = await ask()
    const byName = annotations.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    expect(byName).toEqual([
      { name: 'batch', kind: 'number' },
      { name: 'cluster', kind: 'number' },
      { name: 'depth', kind: 'number' },
      { name: 'kept', kind: 'text' },
      { name: 'score', kind: 'number' },
      { name: 'sure', kind: 'text' },
      { name: 'type', kind: 'text' },
    ])
    const expected = JSON.parse(await runPython(READ_ANNOTATIONS, [path])) as Annotated
    for (const { name } of byName) {
      if (name === 'score') continue
      const { annotation } = await ask(name)
      expect(annotation?.codes.map((code) => annotation.values[code])).toEqual(expected[name])
    }
    await expect(ask('score')).rejects.toMatchObject({ code: 'bad_input' })
    await expect(ask('barcode')).rejects.toMatchObject({ code: 'bad_input' })
  })

  test.each(SPOILED.map(([change, message], i) => ({ change, message, number: 40 + i })))(
    'of a file after $change the refusal says why',
    async ({ message, number }) => {
      const id = await store(number, pathOf(`spoiled-${number - 39}`))
      const refusal = await world.ask(id, [GENE]).then(String, ({ message: why }: Error) => why)
      expect(refusal).toMatch(message)
    },
  )

  test('a file of anndata 0.7 is read once it is written again as the refusal says', async () => {
    const id = await store(20, pathOf('spoiled-0'))
    const refusal = await world.ask(id, [GENE]).then(String, String)
    expect(refusal).toContain('anndata.read_h5ad("old.h5ad").write_h5ad("new.h5ad")')
    await runPython(WRITE_ANEW, [pathOf('spoiled-0'), pathOf('new')])
    await mustAgree(await store(21, pathOf('new')), pathOf('new'), 'single-cell.print-genes')
  })
})
