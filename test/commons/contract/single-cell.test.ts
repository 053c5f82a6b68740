import fs, { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cellNamesJob } from '../../../engine/commons/analysis/single-cell/cell-names.ts'
import { cellsJob } from '../../../engine/commons/analysis/single-cell/cells.ts'
import { matrixJob } from '../../../engine/commons/analysis/single-cell/matrix.ts'
import { identityOf } from '../../../engine/shared/blobs/identity.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { available } from '../../available.ts'
import { eventually } from '../../eventually.ts'
import { linking, looms, type MadeMatrix, tenX } from './support/cell-files.ts'
import { CASE, idOf, OTHER_CASE, recordOf, SURROUNDINGS } from './support/download-records.ts'
import { type DownloadWorld, openWorld } from './support/download-world.ts'
import { listenFor } from './support/listen.ts'

const SHARED = publicData()
const DATA = join(SHARED, 'data/single_cell')

interface Element {
  readonly case_id: string | null
  readonly file_id: string
  readonly gene_id: string
  readonly cells: readonly { readonly cell_id: string; readonly value: number }[]
  readonly errors: readonly string[]
}

const PATH = '/scrna_seq/gene_expression'
const GENES = ['ENSG00000160255', 'ENSG00000159140', 'ENSG00000241837']
const ABSENT = 'ENSG00000000000'

/** The matrix has more cells than one job writes, and more entries than one job scans. */
const LARGE: MadeMatrix = {
  genes: ['ENSG00000000001.4', 'ENSG00000000002', 'ENSG00000000003'],
  cells: 40_000,
  numberOf: (gene, cell) => (cell % (gene + 2) === 0 ? (cell % 7) + gene + 1 : 0),
}
const SMALL: MadeMatrix = {
  genes: ['ENSG00000000001', 'ENSG00000000002'],
  cells: 5,
  numberOf: (gene, cell) => [0, 0.1, -2.5e-9, 1e21, 3][cell]! * (gene + 1),
}

const shared = (name: string) =>
  available.shared ? readFileSync(join(DATA, name)) : Buffer.alloc(0)
const lognorm = shared('pbmc_chr21.lognorm.loom')

const made = await looms(SMALL)
const largeLoom = await looms(LARGE)

const named = (nameOf: MadeMatrix['nameOf']) =>
  looms({ ...SMALL, nameOf }).then(({ whole }) => whole)

const KEPT = {
  lognorm: { id: idOf(1), name: 'a.loom', bytes: lognorm },
  counts: { id: idOf(2), name: 'b.loom', bytes: shared('pbmc_chr21.counts.loom') },
  tenX: { id: idOf(3), name: 'c.h5', bytes: shared('10x_v3_filtered_feature_bc_matrix.h5') },
  oldTenX: { id: idOf(4), name: 'd.h5', bytes: shared('10x_v1_multiple_genomes.h5') },
  small: { id: idOf(5), name: 'e.loom', bytes: made.whole },
  named: { id: idOf(6), name: 'f.loom', bytes: made.namesAlone },
  nameless: { id: idOf(7), name: 'g.loom', bytes: made.withoutGenes },
  cut: { id: idOf(8), name: 'h.loom', bytes: largeLoom.whole.subarray(0, 100_000) },
  damaged: { id: idOf(9), name: 'i.loom', bytes: damagedBehind(largeLoom.whole, 0.3) },
  largeLoom: { id: idOf(10), name: 'j.loom', bytes: largeLoom.whole },
  largeTenX: { id: idOf(11), name: 'k.h5', bytes: await tenX(LARGE) },
  controlled: { id: idOf(12), name: 'l.loom', bytes: made.whole },
  noHdf5: { id: idOf(13), name: 'm.loom', bytes: Buffer.from('gene\tcell\n') },
  table: { id: idOf(14), name: 'n.tsv', bytes: Buffer.from('gene\tcell\n') },
  closedReads: { id: idOf(16), name: 'p.bam', bytes: Buffer.from('no reads') },
  longNames: { id: idOf(17), name: 'q.loom', bytes: await named((cell) => `é${cell}`.repeat(60)) },
  tooLongNames: {
    id: idOf(18),
    name: 'r.loom',
    bytes: await named((cell) => `${cell}`.repeat(300)),
  },
  absent: { id: idOf(15), name: 'o.loom', bytes: Buffer.from('never stored') },
} as const
type Name = keyof typeof KEPT

/**
 * Damages a file in the middle: chunks of numbers make up most of it, and its first and last parts hold the
 * structure.
 */
function damagedBehind(bytes: Buffer, part: number): Buffer {
  const start = Math.floor(bytes.length * part)
  return Buffer.from(bytes).fill(0xa5, start, Math.floor(bytes.length * (part + 0.4)))
}

const hdf5 = (name: Name, more: object = {}) =>
  recordOf(KEPT[name], { data_format: 'HDF5', cases: [{ case_id: CASE }], ...more })
const dated = (year: number) => ({ updated_datetime: `${year}-01-01T00:00:00Z` })
const closed = { access: 'controlled', acl: ['ALPHA-1'] }
const ofOther = { cases: [{ case_id: OTHER_CASE }] }

const FILES = [
  hdf5('small', dated(2023)),
  hdf5('named', dated(2024)),
  // This file is newer, but not released.
  hdf5('nameless', { ...dated(2025), state: 'submitted' }),
  hdf5('controlled', { ...closed, ...ofOther, ...dated(2025) }),
  hdf5('absent', { ...closed, ...ofOther, ...dated(2020) }),
  recordOf(KEPT.table, { data_format: 'TSV' }),
  recordOf(KEPT.closedReads, { data_format: 'BAM', ...closed }),
  ...(['lognorm', 'counts', 'tenX', 'oldTenX', 'cut', 'damaged', 'largeLoom'] as const).map(
    (name) => hdf5(name, dated(2019)),
  ),
  ...(['largeTenX', 'noHdf5', 'longNames', 'tooLongNames'] as const).map((name) =>
    hdf5(name, dated(2019)),
  ),
]

let pool: ThreadPool
let world: DownloadWorld
let address = ''
let token = ''
let stop: () => Promise<void>

beforeAll(async () => {
  pool = new ThreadPool({ threads: 2 })
  world = await openWorld({ ...SURROUNDINGS, files: FILES }, { executor: pool })
  for (const [name, kept] of Object.entries(KEPT)) if (name !== 'absent') await world.store(kept)
  token = (await world.engine.shared.tokens.create({ user: 'u', projects: ['ALPHA-1', 'BETA-2'] }))
    .secret
  const server = await listenFor(world.engine)
  address = server.address
  stop = () => server.close()
})
afterAll(async () => {
  await stop()
  await world.close()
  await pool.close()
})

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${address}${PATH}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const fileBody = (name: Name, geneIds: readonly string[]) => ({
  file_id: KEPT[name].id,
  gene_ids: geneIds,
})

async function answered(body: unknown, headers?: Record<string, string>) {
  const response = await post(body, headers)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  return ((await response.json()) as { readonly data: readonly Element[] }).data
}

async function refused(body: unknown, headers?: Record<string, string>) {
  const response = await post(body, headers)
  const { message } = (await response.json()) as { readonly message: string }
  return [response.status, message] as const
}

const valuesOf = (element: Element | undefined) => element?.cells.map(({ value }) => value) ?? []

describe('requests', () => {
  test.each([
    ['neither id', { gene_ids: ['g'] }, 'neither case_id nor file_id'],
    ['both ids', { case_id: CASE, file_id: idOf(5), gene_ids: ['g'] }, 'give one of the two'],
    ['no genes', { file_id: idOf(5), gene_ids: [] }, '0 gene ids'],
    ['eleven genes', { file_id: idOf(5), gene_ids: Array(11).fill('g') }, '11 gene ids'],
    ['genes that are no texts', { file_id: idOf(5), gene_ids: [1] }, 'gene_ids'],
    ['a file that is said to be a table', fileBody('table', ['g']), 'in the format TSV'],
    ['bytes that are no HDF5', fileBody('noHdf5', ['g']), 'not HDF5'],
  ])('%s is refused with 400', async (_, body, message) => {
    expect(await refused(body)).toEqual([400, expect.stringContaining(message)])
  })

  test('answers 404 for unknown files and cases', async () => {
    const genes = { gene_ids: ['g'] }
    expect((await refused({ file_id: idOf(99), ...genes }))[0]).toBe(404)
    expect((await refused({ case_id: idOf(99), ...genes }))[0]).toBe(404)
    expect((await fetch(`${address}${PATH}`)).status).toBe(405)
  })

  test('empty texts are absent', async () => {
    const [element] = await answered({ ...fileBody('small', ['ENSG00000000001']), case_id: '' })
    expect(element?.case_id).toBe(CASE)
  })

  test('a case stands for its newest released file', async () => {
    const [element] = await answered({ case_id: CASE, gene_ids: ['ENSG00000000002'] })
    expect(element).toMatchObject({ case_id: CASE, file_id: KEPT.named.id })
  })
})

describe('who may ask', () => {
  const body = fileBody('controlled', ['ENSG00000000001'])

  test('a controlled file needs a token, by its case too', async () => {
    const missing = [403, expect.stringContaining('Please specify a X-Auth-Token')]
    expect(await refused(body)).toEqual(missing)
    expect(await refused({ case_id: OTHER_CASE, gene_ids: ['g'] })).toEqual(missing)
    const stranger = (await world.engine.shared.tokens.create({ user: 's', projects: ['GAMMA-3'] }))
      .secret
    expect((await refused(body, { 'X-Auth-Token': 'nonsense' }))[1]).toContain('invalid or expired')
    expect((await refused(body, { 'X-Auth-Token': stranger }))[1]).toContain('read access')
    const [element] = await answered(body, { 'X-Auth-Token': token })
    expect(element?.cells).toHaveLength(SMALL.cells)
  })

  test('the format of a controlled file is told to who may read it alone', async () => {
    const body = { file_id: KEPT.closedReads.id, gene_ids: ['g'] }
    const [status, message] = await refused(body)
    expect([status, message]).toEqual([403, expect.stringContaining('specify a X-Auth-Token')])
    const told = await refused(body, { 'X-Auth-Token': token })
    expect(told).toEqual([400, expect.stringContaining('is in the format BAM')])
  })

  test('bytes that are not here are reported only to who may have them', async () => {
    const absent = fileBody('absent', ['g'])
    expect((await refused(absent))[1]).toContain('specify a X-Auth-Token')
    const [status, message] = await refused(absent, { 'X-Auth-Token': token })
    expect([status, message]).toEqual([404, expect.stringContaining('not stored here')])
  })
})

describe('annotations of cells', () => {
  const annotated = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${address}/scrna_seq/cell_annotations`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test('a file without any has none, and says so of one that is wanted', async () => {
    const sent = await annotated({ file_id: KEPT.small.id })
    expect([sent.status, await sent.json()]).toEqual([
      200,
      { data: { case_id: CASE, file_id: KEPT.small.id, cells: SMALL.cells, annotations: [] } },
    ])
    const refusal = await annotated({ file_id: KEPT.small.id, annotation: 'CellType' })
    expect([refusal.status, await refusal.text()]).toEqual([
      400,
      expect.stringContaining('it has none'),
    ])
  })

  test('a controlled file needs a token', async () => {
    const body = { file_id: KEPT.controlled.id }
    expect((await annotated(body)).status).toBe(403)
    expect((await annotated(body, { 'X-Auth-Token': token })).status).toBe(200)
  })

  test.each([
    ['neither id', {}, 400],
    ['both ids', { case_id: CASE, file_id: idOf(5) }, 400],
    ['bytes that are no HDF5', { file_id: KEPT.noHdf5.id }, 400],
    ['an unknown file', { file_id: idOf(99) }, 404],
    ['a damaged file', { file_id: KEPT.cut.id }, 500],
  ])('%s is refused', async (_, body, status) => {
    expect((await annotated(body)).status).toBe(status)
  })
})

describe('made files', () => {
  test('doubles are printed so that they read the same, and look like doubles', async () => {
    const response = await post(fileBody('small', ['ENSG00000000001']))
    const id = KEPT.small.id
    const cells = ['0.0', '0.1', '-2.5e-9', '1e+21', '3.0'].map(
      (value, i) => `{"cell_id":"cell-${i}","value":${value}}`,
    )
    const head = `{"case_id":"${CASE}","file_id":"${id}","gene_id":"ENSG00000000001","cells":[`
    expect(await response.text()).toBe(`{"data":[${head}${cells}],"errors":[]}]}`)
    expect(response.headers.get('content-length')).not.toBeNull()
  })

  test('elements follow the request, each gene once; an unknown one says so', async () => {
    const asked = ['ENSG00000000002', ABSENT, 'ENSG00000000001.17', 'ENSG00000000002']
    const elements = await answered(fileBody('small', asked))
    expect(elements.map(({ gene_id: gene }) => gene)).toEqual(asked.slice(0, 3))
    expect(elements[1]).toMatchObject({ cells: [], errors: [expect.stringContaining(ABSENT)] })
    expect(valuesOf(elements[2])).toEqual([0, 0.1, -2.5e-9, 1e21, 3])
  })

  test.each(['largeLoom', 'largeTenX'] as const)(
    '%s gives every number in its place',
    async (name) => {
      const asked = ['ENSG00000000003', 'ENSG00000000001']
      const elements = await answered(fileBody(name, asked))
      for (const [i, gene] of [2, 0].entries()) {
        const cells = Array.from({ length: LARGE.cells }, (_, cell) => ({
          cell_id: `cell-${cell}`,
          value: LARGE.numberOf(gene, cell),
        }))
        expect(elements[i]?.cells).toEqual(cells)
      }
    },
  )

  test('without accessions genes go by their names, and without these not at all', async () => {
    const [element] = await answered(fileBody('named', ['ENSG00000000002']))
    expect(valuesOf(element)).toEqual([0, 0.2, -5e-9, 2e21, 6])
    const refusal = await refused(fileBody('nameless', ['ENSG00000000002']))
    expect(refusal).toEqual([400, expect.stringContaining('/row_attrs/Accession')])
  })

  test('names of cells are read up to 256 bytes, and refused beyond', async () => {
    const asked = ['ENSG00000000001']
    const [element] = await answered(fileBody('longNames', asked))
    expect(element?.cells.map(({ cell_id: name }) => name)).toEqual(
      Array.from({ length: SMALL.cells }, (_, cell) => `é${cell}`.repeat(60)),
    )
    expect(await refused(fileBody('tooLongNames', asked))).toEqual([
      413,
      expect.stringContaining('the names of cells 0 to 4 have 302 bytes on average'),
    ])
  })

  test('damage is an error, and threads go on', async () => {
    const asked = ['ENSG00000000001']
    for (const name of ['cut', 'damaged', 'cut', 'damaged'] as const) {
      const refusal = await refused(fileBody(name, asked))
      expect(refusal).toEqual([500, expect.stringContaining('HDF5 file cannot be used')])
    }
    expect(await answered(fileBody('largeLoom', asked))).toHaveLength(1)
  })

  test('a replaced file is opened again', async () => {
    const id = idOf(20)
    const other = await looms({ ...SMALL, numberOf: (gene) => gene + 41 })
    await world.store({ id, name: 'p.loom', bytes: made.whole }, { access: 'open' })
    const body = { file_id: id, gene_ids: ['ENSG00000000001'] }
    const [first] = await answered(body)
    expect(first).toMatchObject({ case_id: null, errors: [] })
    await world.replace({ id, name: 'p.loom', bytes: other.whole })
    for (let i = 0; i < 4; i++) {
      expect(valuesOf((await answered(body))[0])).toEqual([41, 41, 41, 41, 41])
    }
  })

  test('a file that leads to another one is not followed', async () => {
    const id = idOf(21)
    const bytes = await linking(join(world.folder, 'files', KEPT.controlled.id, 'l.loom'))
    await world.store({ id, name: 'q.loom', bytes }, { access: 'open' })
    const refusal = await refused({ file_id: id, gene_ids: ['ENSG00000000001'] })
    expect(refusal).toEqual([400, expect.stringContaining('no "/matrix"')])
  })

  test('a file in object storage that is not set up is refused', async () => {
    const file = { id: idOf(23), name: 's.loom', bytes: made.whole }
    await world.store(file, { access: 'open', storage: 's3' })
    const refusal = await refused({ file_id: file.id, gene_ids: ['g'] })
    expect(refusal).toEqual([503, expect.stringContaining('object storage, which is not set up')])
  })

  test('a file of more cells than are read is refused with their number', async () => {
    const path = join(world.folder, 'files', KEPT.largeTenX.id, KEPT.largeTenX.name)
    const identity = identityOf(statSync(path, { bigint: true }))
    const asked = { path, identity, geneIds: ['g'], mostCells: LARGE.cells - 1 }
    await expect(inlineExecutor.run(matrixJob, asked)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('40000 cells; at most 1000000 and 39999'),
    })
  })

  test('of a table only the chunks of the gene are read', async () => {
    const wide: MadeMatrix = {
      genes: Array.from({ length: 1024 }, (_, i) => `ENSG${String(i).padStart(11, '0')}`),
      cells: 256,
      numberOf: (gene, cell) => Math.sin(gene * 256 + cell),
    }
    const file = { id: idOf(22), name: 'r.loom', bytes: (await looms(wide)).whole }
    await world.store(file)
    const path = join(world.folder, 'files', file.id, file.name)
    const state = { path, identity: identityOf(statSync(path, { bigint: true })) }
    const read = vi.spyOn(fs, 'readSync')
    const asked = { ...state, geneIds: ['ENSG00000000700'], mostCells: 256 }
    const { layout, rows } = await inlineExecutor.run(matrixJob, asked)
    const part = { ...state, start: 0, end: 256 }
    const names = await inlineExecutor.run(cellNamesJob, { ...part, cellsPath: layout.cellsPath })
    const cells = await inlineExecutor.run(cellsJob, { ...part, names, values: rows[0]! })
    const bytesRead = read.mock.results.reduce((sum, { value }) => sum + Number(value), 0)
    read.mockRestore()
    const printed = JSON.parse(`[${Buffer.from(cells)}]`) as Element['cells']
    expect(printed.map(({ value }) => value)).toEqual(
      Array.from({ length: 256 }, (_, cell) => Math.sin(700 * 256 + cell)),
    )
    expect(bytesRead).toBeGreaterThan(64 * 256)
    expect(bytesRead).toBeLessThan(file.bytes.length / 4)
    expect(openFiles().filter((open) => open === path)).toEqual([])
  })

  test('an answer that is broken off stops, and no thread keeps more than a few files open', async () => {
    const { engine } = world
    const stopping = new AbortController()
    const request = { caseId: undefined, fileId: KEPT.largeTenX.id, token: undefined }
    const geneIds = ['ENSG00000000001', 'ENSG00000000002', 'ENSG00000000003']
    const run = { signal: stopping.signal }
    const answer = await engine.commons.singleCell.expression({ ...request, geneIds }, run)
    expect(answer.length).toBeUndefined()
    stopping.abort(new Error('the client has left'))
    await expect(text(answer.body)).rejects.toThrow('the client has left')
    await answer[Symbol.asyncDispose]()
    // A thread notices the abort at its next chunk.
    await eventually(() => expect([pool.queued, pool.running]).toEqual([0, 0]))
    await expect(
      engine.commons.singleCell.expression({ ...request, geneIds }, run),
    ).rejects.toThrow('has left')
    // The file with the numbers in the order of genes may be open as well.
    const open = openFiles().filter((path) => !path.endsWith('.part'))
    const matrices = open.filter((path) => !path.endsWith('genes.numbers'))
    expect(matrices.length).toBeLessThanOrEqual(2 * 4)
    expect(open.length - matrices.length).toBeLessThanOrEqual(Object.keys(KEPT).length)
  })
})

/** Lists the stored files that this process has open. */
function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`)
      return path.startsWith(`${world.folder}/files/`) ? [path] : []
    } catch {
      return []
    }
  })
}

describe.skipIf(!available.shared)('a real matrix', () => {
  // python3 -c 'import h5py, math
  // f = h5py.File("pbmc_chr21.lognorm.loom"); ids = [x.decode() for x in f["row_attrs/Accession"][:]]
  // for g in ["ENSG00000160255", "ENSG00000159140", "ENSG00000241837"]:
  //   r = f["matrix"][ids.index(g)].tolist(); print(g, math.fsum(r), sum(v != 0 for v in r), r[:3])'
  const LOGNORM = [
    { sum: 6449.370652989558, nonZero: 919, first: [6.7266330027636645, 0, 7.684743962713568] },
    { sum: 5727.3471961971, nonZero: 895, first: [5.630414969030203, 6.7266330027636645, 0] },
    {
      sum: 5463.654893647916,
      nonZero: 859,
      first: [5.630414969030203, 7.131698510466911, 6.077143515095717],
    },
  ]
  // The same, with pbmc_chr21.counts.loom and r[:3].
  const COUNTS = [
    { sum: 5510, nonZero: 919, first: [3, 0, 5] },
    { sum: 2224, nonZero: 895, first: [1, 2, 0] },
    { sum: 2100, nonZero: 859, first: [1, 3, 1] },
  ]
  const CELLS = 1107

  test.each([
    ['lognorm', LOGNORM],
    ['counts', COUNTS],
    ['tenX', COUNTS],
  ] as const)('%s gives what h5py reads', async (name, expected) => {
    const elements = await answered(fileBody(name, [...GENES, ABSENT]))
    for (const [i, { sum, nonZero, first }] of expected.entries()) {
      const values = valuesOf(elements[i])
      expect(values).toHaveLength(CELLS)
      expect(values.slice(0, 3)).toEqual(first)
      expect(values.filter((value) => value !== 0)).toHaveLength(nonZero)
      expect(values.reduce((all, value) => all + value, 0)).toBeCloseTo(sum, 8)
    }
    expect(elements[0]?.cells[0]?.cell_id).toBe('AAACCCAAGGAGAGTA-1')
    expect(elements[0]?.cells.at(-1)?.cell_id).toBe('TTTGGTTGTAGAATAC-1')
    expect(elements[3]).toMatchObject({ cells: [], errors: [expect.any(String)] })
  })

  test('both layouts give the same cells', async () => {
    const [loom, sparse] = await Promise.all(
      (['counts', 'tenX'] as const).map((name) => answered(fileBody(name, GENES))),
    )
    const cellsOf = (elements: readonly Element[] | undefined) =>
      elements?.map(({ cells }) => cells)
    expect(cellsOf(sparse)).toEqual(cellsOf(loom))
  })

  test('the old layout of several genomes is an error that says so', async () => {
    const refusal = await refused(fileBody('oldTenX', GENES))
    expect(refusal).toEqual([400, expect.stringContaining('old 10x layout of a group per genome')])
  })

  test.each(['49_analysis.json', '50_analysis.json'])(
    'the answer has the shape of %s',
    async (name) => {
      const vector = readFileSync(join(SHARED, 'contract/examples', name), 'utf8')
      const keysOf = (data: readonly Element[]) => [
        ...new Set(
          data.flatMap((one) => [Object.keys(one).join(), Object.keys(one.cells[0]!).join()]),
        ),
      ]
      const elements = await answered(fileBody('lognorm', GENES))
      expect(keysOf(elements)).toEqual(keysOf(JSON.parse(vector).data))
      // Python prints doubles as JavaScript does.
      const response = await post(fileBody('lognorm', GENES))
      expect(vector).toContain('"value": 0.0')
      expect(await response.text()).toContain('"value":0.0}')
    },
  )
})
