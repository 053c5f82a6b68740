import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { caseRecords } from '../../fixtures/tables/cohort.ts'
import { geneTable } from '../../fixtures/tables/genes.ts'
import { writeTable } from '../../fixtures/tables/made-table.ts'
import type { Bench, BenchOptions, BenchOutcome, Comparison, ContestOutcome } from '../bench.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { Parts } from '../parts.ts'
import { holdContest } from '../rounds.ts'
import { Casemill, duckImporter, type Importer } from './import/contenders.ts'
import { type Aggregate, cohortSize, type ImportWorkload, workloadsOf } from './import/workloads.ts'

const CHECKOUT = join(import.meta.dirname, '..', '..')
const [OURS, FORMER] = ['casemill', 'former build']
const MAX_MEGABYTES = 600

const COMPARISONS: readonly Comparison[] = [
  { ours: OURS, peer: FORMER, target: { atLeast: 2.5 } },
  { ours: OURS, peer: 'DuckDB', target: { atLeast: 0.5 } },
]

/** Tables into an empty data folder, beside a former build and DuckDB. */
export const importTables: Bench = { workloads: Object.keys(workloadsOf('full')), run }

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const size = options.quick ? 'quick' : 'full'
  const folder = join(DATA_FOLDER, `import-${size}`)
  const scratch = join(folder, 'scratch')
  // An interrupted run leaves its own behind.
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch, { recursive: true })
  try {
    const parts = new Parts(folder, options.note)
    const place = { scratch, cohort: await cohortSources(folder, size) }
    const importers: Importer[] = [await Casemill.open(OURS, { ...place, checkout: CHECKOUT })]
    const { former } = options
    if (former !== undefined) {
      importers.push(await Casemill.open(FORMER, { ...place, checkout: former }))
    }
    const contests: ContestOutcome[] = []
    for (const [name, workload] of Object.entries(workloadsOf(size))) {
      if (!options.chosen(name)) continue
      const path = await tableFile(parts, name, workload)
      const all = workload.hasPeer ? [...importers, duckImporter(scratch)] : importers
      await expectEqualAnswers(workload, path, all)
      contests.push(...(await measured(name, { workload, path, importers: all }, options)))
    }
    const findings = former === undefined ? ['no former build: give its checkout by --former'] : []
    return { input: { size }, contests, findings }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function tableFile(parts: Parts, name: string, { table }: ImportWorkload): Promise<string> {
  const { path } = await parts.part({
    what: name,
    before: '',
    sources: ['fixtures/tables', 'fixtures/random.ts'],
    // The name of a file tells what is in it.
    make: async (made) => {
      await mkdir(made)
      await writeTable(join(made, table.fileName), table)
    },
  })
  return join(path, table.fileName)
}

/** Records of the cases and genes that a matrix is of. */
async function cohortSources(folder: string, size: 'quick' | 'full'): Promise<readonly string[]> {
  const { genes, cases } = cohortSize(size)
  const [casesPath, genesPath] = [join(folder, 'cases.json'), join(folder, 'genes.tsv')]
  await writeFile(casesPath, JSON.stringify(caseRecords(cases)))
  await writeTable(genesPath, geneTable(genes))
  return [casesPath, genesPath]
}

/** @throws Error when somebody has imported something else than the others */
async function expectEqualAnswers(
  workload: ImportWorkload,
  path: string,
  importers: readonly Importer[],
): Promise<void> {
  const answers: [string, Aggregate][] = []
  for (const importer of importers) {
    await importer.run(workload, path)
    answers.push([importer.series, await importer.ask(workload)])
  }
  const [[, first] = []] = answers
  for (const [series, answer] of answers) {
    if (isDeepStrictEqual(answer, first)) continue
    throw new Error(`${series} has imported something else: ${JSON.stringify(answers)}`)
  }
}

interface Measured {
  readonly workload: ImportWorkload
  readonly path: string
  readonly importers: readonly Importer[]
}

/** How long it takes, and the memory that each process held at most meanwhile. */
async function measured(
  name: string,
  { workload, path, importers }: Measured,
  { rounds, quick, note }: BenchOptions,
): Promise<readonly ContestOutcome[]> {
  const peaks: Record<string, number> = {}
  const contenders = importers.map((importer) => ({
    turn: async () => {
      const { wall, peak } = await importer.run(workload, path)
      if (peak !== undefined) peaks[importer.series] = Math.max(peak, peaks[importer.series] ?? 0)
      return { [importer.series]: wall }
    },
  }))
  const time = { workload: name, unit: 'ms', rounds: rounds ?? (quick ? 1 : 3) } as const
  const memory = { workload: `${name}, peak`, unit: 'MB', rounds: 1 } as const
  return [
    await holdContest({ ...time, contenders, comparisons: COMPARISONS }, note),
    await holdContest(
      {
        ...memory,
        contenders: [{ turn: async () => peaks }],
        comparisons: [
          { ours: OURS, target: { atMost: MAX_MEGABYTES } },
          { ours: OURS, peer: FORMER, as: 'times as long' },
        ],
      },
      note,
    ),
  ]
}
