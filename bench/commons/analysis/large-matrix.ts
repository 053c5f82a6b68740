import { writeFileSync } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { selectGenes } from '../../../engine/commons/analysis/expression/gene-selection.ts'
import {
  FIXED_SCALE,
  type MatrixRow,
} from '../../../engine/commons/analysis/expression/matrix-format.ts'
import { type Matrix, openMatrix } from '../../../engine/commons/analysis/expression/open-matrix.ts'
import { ValuesTables } from '../../../engine/commons/analysis/expression/values-table.ts'
import { writeMatrix } from '../../../engine/commons/analysis/expression/write-matrix.ts'
import { ThreadPool } from '../../../workers/index.ts'
import { held } from '../search/service.ts'

const USAGE = `usage: node bench/commons/analysis/large-matrix.ts [--genes N] [--cases N] [--memory MiB] [--folder F]

Makes a matrix of expression that is larger than the memory it may take, asks it, and prints megabytes a
second and the most memory that the process held. Linux only.
`

interface Asked {
  readonly genes: number
  readonly cases: number
  readonly memoryBytes: number
  readonly folder: string
}

function askedFor(words: readonly string[]): Asked {
  const { values } = parseArgs({
    args: [...words],
    options: {
      genes: { type: 'string', default: '20000' },
      cases: { type: 'string', default: '20000' },
      memory: { type: 'string', default: '256' },
      folder: { type: 'string', default: tmpdir() },
    },
  })
  const [genes, cases, memory] = [values.genes, values.cases, values.memory].map(Number)
  if (!genes || !cases || !memory) throw new Error(USAGE)
  return { genes, cases, memoryBytes: memory * 2 ** 20, folder: values.folder }
}

const digits = (number: number, width: number) => String(number).padStart(width, '0')

/** Values of genes that vary more and more, over and over. */
function* rowsOf({ genes, cases }: Asked): Generator<MatrixRow> {
  const values = new Uint32Array(cases)
  let state = 1
  for (let gene = 0; gene < genes; gene++) {
    const most = FIXED_SCALE * (1 + (gene % 997))
    for (let i = 0; i < cases; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      values[i] = Math.floor((state / 2 ** 32) * most)
    }
    // What was given is kept until its batch is written.
    yield { geneId: `ENSG${digits(gene, 11)}`, symbol: `S${gene}`, values: values.slice() }
  }
}

async function main(asked: Asked): Promise<void> {
  const folder = await mkdtemp(join(asked.folder, 'casemill-large-matrix-'))
  const path = join(folder, 'expression.arrow')
  const pool = new ThreadPool({ threads: 2 })
  try {
    const cases = Array.from({ length: asked.cases }, (_, i) => ({
      caseId: `0e000000-0000-4000-8000-${digits(i, 12)}`,
      sample: null,
      fileId: null,
      access: 'open' as const,
    }))
    const facts = { format: 1, kind: 'fixed', genes: asked.genes, cases } as const
    const written = await timed(
      'made',
      () => writeMatrix(path, facts, rowsOf(asked)),
      () => sizeOf(path),
    )
    const file = await open(path, 'r')
    try {
      const extra = { descriptor: file.fd, ...written }
      // From here on memory is that of who asks.
      writeFileSync('/proc/self/clear_refs', '5')
      const before = held('self', 'VmRSS')
      const opened = () => openMatrix(extra, pool, asked.memoryBytes)
      const matrix = await timed('opened and proved', opened, async () => written.bytes)
      await askAll(matrix, pool, written.bytes)
      const peak = held('self', 'VmHWM')
      process.stdout.write(
        `memory: ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most\n`,
      )
    } finally {
      await file.close()
    }
  } finally {
    await pool.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function askAll(matrix: Matrix, executor: ThreadPool, bytes: number): Promise<void> {
  const run = { executor, signal: new AbortController().signal }
  const columns = shared(matrix.cases.length, 1)
  const all = Uint32Array.from(matrix.geneIds.keys())
  const limits = { size: 1000, leastMedian: 0 }
  const select = () => selectGenes({ matrix, columns, rows: all }, limits, run)
  await timed('the thousand genes that vary most', select, async () => bytes)
  const few = Uint32Array.from({ length: 1000 }, (_, i) => Math.floor((i * all.length) / 1000))
  const tables = new ValuesTables()
  const table = async (rows: Uint32Array, someColumns: Uint32Array) => {
    let length = 0
    const asked = { matrix, columns: someColumns, rows, unit: 'uqfpkm' as const }
    for await (const chunk of tables.chunks(asked, run)) length += chunk.length
    return length
  }
  await timed(
    'a table of 1,000 genes and all cases',
    () => table(few, columns),
    async (n) => n,
  )
  const someCases = shared(matrix.cases.length, 100)
  await timed(
    'a table of all genes and each hundredth case',
    () => table(all, someCases),
    async () => bytes,
  )
  await timed(
    'one gene of 100 cases, 200 times',
    async () => {
      const hundred = someCases.subarray(0, 100)
      for (let i = 0; i < 200; i++) await table(Uint32Array.of((i * 7919) % all.length), hundred)
    },
    async () => 0,
  )
}

/** Each so-manieth place, in shared memory. */
function shared(count: number, step: number): Uint32Array {
  const places = new Uint32Array(new SharedArrayBuffer(4 * Math.ceil(count / step)))
  for (let i = 0; i < places.length; i++) places[i] = i * step
  return places
}

async function timed<Result>(
  what: string,
  act: () => Promise<Result>,
  bytesOf: (result: Result) => Promise<number>,
): Promise<Result> {
  const start = performance.now()
  const result = await act()
  const seconds = (performance.now() - start) / 1000
  const bytes = await bytesOf(result)
  const rate = bytes === 0 ? '' : `, ${(bytes / 1e6 / seconds).toFixed(0)} MB/s`
  const peak = `at most ${held('self', 'VmHWM').toFixed(0)} MB`
  process.stdout.write(`${what}: ${seconds.toFixed(2)} s${rate}, ${peak}\n`)
  return result
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size
}

await main(askedFor(process.argv.slice(2)))
