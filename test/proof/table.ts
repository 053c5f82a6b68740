import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProofReport, ProvedFile } from './report.ts'
import { truthsOf } from './truths.ts'

const ROOT = join(import.meta.dirname, '../..')
export const PAGE = join(ROOT, 'docs/proof.md')

/** The runs of tests, each with all files of the previous one. */
const RUNS = [
  { name: 'usual', command: 'npm test', suffix: '' },
  { name: 'ci', command: 'npm run test:ci', suffix: '.ci' },
  { name: 'exhaustive', command: 'npm run test:exhaustive', suffix: '.exhaustive' },
] as const

/** Test files of one folder that belong to the same run and have the same references. */
interface ListedRow {
  readonly folder: string
  /** File names without their extensions. */
  readonly names: readonly string[]
  /** The first run that includes the files. */
  readonly run: string
  readonly truths: string
}

/** A row of the table. Tests and processor seconds are empty until a report includes its files. */
interface ProofRow extends ListedRow {
  readonly tests: string
  readonly seconds: string
}

/** Returns a row for each group of test files. */
export function listedRows(): readonly ListedRow[] {
  const paths = globSync('{bin,engine,explorer,fixtures,server,test,workers}/**/*.test.ts', {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules',
  })
  const files = paths.toSorted().map((path) => {
    const [, folder = '', name = '', suffix = ''] =
      /^(.+)\/(.+?)(\.\w+)?\.test\.ts$/.exec(path) ?? []
    const run = RUNS.find((each) => each.suffix === suffix)?.name ?? 'usual'
    const truths = truthsOf(path, readFileSync(join(ROOT, path), 'utf8')).join('; ')
    return { folder, names: [name], run, truths }
  })
  return [...Map.groupBy(files, keyOf).values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, names: same.flatMap(({ names }) => names) }] : []
  })
}

const keyOf = ({ folder, run, truths }: ListedRow) => [folder, run, truths].join(' | ')

/** Returns the rows of a page. */
export function rowsOf(page: string): readonly ProofRow[] {
  return page.split('\n').flatMap((line) => {
    const [, folder, names, run, truths, tests, seconds] =
      /^\| `(.+)\/` (.+) \| (\w+) \| (.*) \| (\d*) \| ([\d.]*) \|$/.exec(line) ?? []
    if (folder === undefined || names === undefined || run === undefined) return []
    const figures = { tests: tests ?? '', seconds: seconds ?? '' }
    return [{ folder, names: names.split(', '), run, truths: truths ?? '', ...figures }]
  })
}

/**
 * Makes the page. A row has the figures of the reports if they include all of its files, otherwise its former
 * ones.
 */
export function makePage(former: string, reports: readonly ProofReport[]): string {
  const formerRow = new Map(rowsOf(former).map((row) => [keyOf(row), row]))
  const rows = listedRows().map((listed): ProofRow => {
    const measured = pathsOf(listed).map((path) => measuredFile(path, listed.run, reports))
    const files = measured.filter((file) => file !== undefined)
    if (files.length < measured.length) {
      const { tests = '', seconds = '' } = formerRow.get(keyOf(listed)) ?? {}
      return { ...listed, tests, seconds }
    }
    const tests = files.reduce(
      (sum, { passed, failed, skipped }) => sum + passed + failed + skipped,
      0,
    )
    const seconds = files.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0)
    return { ...listed, tests: String(tests), seconds: seconds.toFixed(1) }
  })
  const machines = new Set(reports.map(({ machine }) => machine))
  const measuredOn = [...machines].join(' and ') || /^Measured on (.*)\.$/m.exec(former)?.[1]
  const table = (lines: readonly string[]) => lines.map((line) => `| ${line} |\n`).join('')
  return `# What proves what, at which cost

\`npm run proof -- REPORT...\` makes this page from reports of runs of tests, which \`PROOF_REPORT=FILE\` has them leave.
A file belongs to a run by its name: \`*.test.ts\`, \`*.ci.test.ts\` or \`*.exhaustive.test.ts\`. Each run has all files of
the one before. A row has the files of one folder that belong to the same run and compare with the same. Figures are
sums over them in that run; processor seconds include the programs that they start.

Measured on ${measuredOn ?? 'no machine yet'}.

${table(summaryOf(rows))}
${table(['Files | Run | Truth | Tests | Processor seconds', '---|---|---|--:|--:', ...rows.map(lineOf)])}`
}

const lineOf = ({ folder, names, run, truths, tests, seconds }: ProofRow) =>
  `\`${folder}/\` ${names.join(', ')} | ${run} | ${truths} | ${tests} | ${seconds}`

function pathsOf({ folder, names, run }: ListedRow): readonly string[] {
  const suffix = RUNS.find(({ name }) => name === run)?.suffix ?? ''
  return names.map((name) => `${folder}/${name}${suffix}.test.ts`)
}

function summaryOf(rows: readonly ProofRow[]): readonly string[] {
  const lines = RUNS.map(({ name, command }) => {
    const own = rows.filter(({ run }) => run === name)
    const sum = (of: (row: ProofRow) => string) =>
      own.reduce((total, row) => total + Number(of(row)), 0)
    const figures = [
      own.reduce((total, { names }) => total + names.length, 0),
      sum(({ tests }) => tests),
      Math.round(sum(({ seconds }) => seconds)),
    ]
    return `\`${command}\` | ${figures.join(' | ')}`
  })
  return ['Run | Files that it adds | Tests | Processor seconds', '---|--:|--:|--:', ...lines]
}

/** A file is the same in every run except for its counts, so the first run that includes it measures it. */
function measuredFile(
  path: string,
  run: string,
  reports: readonly ProofReport[],
): ProvedFile | undefined {
  const having = reports.filter(({ files }) => files.some((file) => file.path === path))
  const report = having.find((each) => each.run === run) ?? having[0]
  return report?.files.find((file) => file.path === path)
}
