import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeMatrix } from '../../../engine/commons/analysis/expression/write-matrix.ts'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import { EXPRESSION_NAME } from '../../../engine/commons/release/layout.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { openEngine } from '../../../engine/engine.ts'
import type { Executor } from '../../../engine/shared/executor.ts'
import { makeRelease } from '../../../fixtures/release/make-release.ts'
import { Parts } from '../../parts.ts'
import { openDatabase } from '../search/duckdb/database.ts'
import { FACTS } from '../search/input.ts'
import { writeDonors } from './donors.ts'
import { loadTables, writeFrames } from './duckdb/load.ts'
import { DATASETS, type InputName, LAYOUTS } from './layout.ts'
import { makeMatrix, matrixRows, readNames } from './matrix.ts'
import { MATRIX_PINS } from './pins.ts'
import { makeCells } from './python-peer.ts'
import { CELLS_FILE } from './questions.ts'

/** One release with its expression as everyone who takes part has it. */
export interface Input {
  readonly name: InputName
  /** A data folder of ours. */
  readonly home: string
  /** Folder of the matrix; see matrix.ts. */
  readonly matrix: string
  /** A database file of DuckDB. */
  readonly duck: string
  /** Tables of mutations as CSV, for pandas. */
  readonly frames: string
  /** A table of donors, for R. */
  readonly donors: string
  /** The single-cell file; undefined where there is no h5py to make it. */
  readonly cells: string | undefined
  /** What making each part took, in seconds; for orientation. */
  readonly seconds: Readonly<Record<string, number>>
}

const SEED = 1

const SOURCES = {
  documents: ['fixtures/release', 'fixtures/random.ts', 'bench/commons/analysis/layout.ts'],
  matrix: ['bench/commons/analysis/matrix.ts'],
  cells: ['bench/commons/analysis/python/make_cells.py'],
  duck: ['bench/commons/analysis/duckdb/load.ts'],
  donors: ['bench/commons/analysis/donors.ts'],
  home: [
    'engine/commons/release',
    'engine/commons/datasets',
    'engine/shared/arrays/array-file.ts',
    'engine/commons/analysis/expression/matrix-format.ts',
    'engine/commons/analysis/expression/write-matrix.ts',
    'engine/commons/analysis/single-cell',
    'engine/commons/files/ingest',
  ],
} as const

interface InputRequest {
  readonly name: InputName
  /** Where parts are kept from run to run. */
  readonly folder: string
  readonly executor: Executor
  /** A Python with h5py; see findPython. */
  readonly python: string | undefined
  readonly note: (text: string) => void
}

/**
 * Makes what is not there from an earlier run.
 * @throws Error when the matrix is not the pinned one
 */
export async function prepareInput(request: InputRequest): Promise<Input> {
  const { name, folder, executor, python, note } = request
  const layout = LAYOUTS[name]
  const parts = new Parts(folder, note)
  const part = (
    what: keyof typeof SOURCES | 'frames',
    before: string,
    make: (path: string) => Promise<void>,
  ) => parts.part({ what, before, sources: SOURCES[what === 'frames' ? 'duck' : what], make })

  const documents = await parts.part({
    what: 'documents',
    before: name,
    sources: SOURCES.documents,
    make: async (path) => {
      await makeRelease({ folder: path, scale: layout.scale, seed: SEED, datasets: DATASETS })
    },
    // Fixtures change more often than what they make.
    contentKey: digestOf,
  })
  const matrix = await part('matrix', documents.key, async (path) => {
    const md5 = await makeMatrix(path, documents.path, layout)
    if (md5 !== MATRIX_PINS[name]) throw new Error(`the matrix of ${name} has md5 ${md5}`)
  })
  const duck = await part('duck', matrix.key, (path) => fillDuck(path, documents.path, matrix.path))
  const frames = await part('frames', duck.key, (path) => fillFrames(path, duck.path))
  const donors = await part('donors', documents.key, (path) => {
    return writeDonors(join(documents.path, 'cases.ndjson'), path)
  })
  const cells = python
    ? await part('cells', name, (path) => {
        return makeCells(python, path, layout.cellGenes, layout.cells)
      })
    : undefined
  const home = await part('home', matrix.key + (cells?.key ?? ''), (path) =>
    fillHome({
      home: path,
      documents: documents.path,
      matrix: matrix.path,
      cells: cells?.path,
      executor,
    }),
  )
  return {
    name,
    home: home.path,
    matrix: matrix.path,
    duck: duck.path,
    frames: frames.path,
    donors: donors.path,
    cells: cells?.path,
    seconds: parts.seconds,
  }
}

/** Of all files of a folder. */
async function digestOf(folder: string): Promise<string> {
  const all = createHash('sha256')
  for (const name of (await readdir(folder)).sort()) {
    const { size, md5 } = await factsOf(join(folder, name))
    all.update(`${name} ${size} ${md5}\n`)
  }
  return all.digest('hex')
}

async function fillDuck(path: string, documents: string, matrix: string): Promise<void> {
  const database = await openDatabase(path, 'READ_WRITE')
  try {
    await loadTables(await database.connect(), { documents, matrix })
  } finally {
    database.close()
  }
}

async function fillFrames(folder: string, duck: string): Promise<void> {
  await mkdir(folder)
  const database = await openDatabase(duck, 'READ_ONLY')
  try {
    await writeFrames(await database.connect(), folder)
  } finally {
    database.close()
  }
}

interface HomeRequest {
  readonly home: string
  readonly documents: string
  readonly matrix: string
  readonly cells: string | undefined
  readonly executor: Executor
}

/** Builds the release with its expression, makes it the current one and stores the single cells. */
async function fillHome({ home, documents, matrix, cells, executor }: HomeRequest): Promise<void> {
  await mkdir(home, { recursive: true })
  const between = join(home, 'between')
  await mkdir(between)
  const sources: Record<string, string> = Object.fromEntries(
    DATASETS.map((dataset) => [dataset, join(documents, `${dataset}.ndjson`)]),
  )
  const expression = join(between, EXPRESSION_NAME)
  const { facts, rows } = await matrixRows(matrix)
  await writeMatrix(expression, facts, rows)
  const manifest = join(between, 'manifest.txt')
  if (cells) {
    const { cases } = await readNames(matrix)
    const file = { ...(await factsOf(cells)), name: basename(cells) }
    sources.files = join(between, 'files.ndjson')
    await writeFile(sources.files, `${JSON.stringify(recordOf(file, cases[0]!))}\n`)
    const row = [CELLS_FILE, file.name, file.md5, file.size].join('\t')
    await writeFile(manifest, `id\tfilename\tmd5\tsize\n${row}\n`)
  }
  const releases = new Releases(home)
  const extras = { [EXPRESSION_NAME]: expression }
  const { id } = await buildRelease({
    folder: releases.path,
    sources,
    extras,
    facts: FACTS,
    executor,
  })
  await releases.switchTo(id)
  if (cells) await store(home, manifest, cells, executor)
  await rm(between, { recursive: true })
}

async function store(home: string, manifest: string, file: string, executor: Executor) {
  const engine = await openEngine({ dataFolder: home, executor })
  try {
    const { stored } = await engine.commons.importFiles({ manifest, from: join(file, '..') })
    if (stored !== 1) throw new Error('the single-cell file is not stored')
  } finally {
    await engine.close()
  }
}

async function factsOf(path: string) {
  const hash = createHash('md5')
  await pipeline(createReadStream(path), hash)
  return { size: (await stat(path)).size, md5: hash.digest('hex') }
}

const recordOf = (
  { name, size, md5 }: { readonly name: string; readonly size: number; readonly md5: string },
  caseId: string,
) => ({
  file_id: CELLS_FILE,
  file_name: name,
  file_size: size,
  md5sum: md5,
  access: 'open',
  acl: ['open'],
  data_format: 'HDF5',
  state: 'released',
  cases: [{ case_id: caseId }],
})
