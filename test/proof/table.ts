import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProofReport, ProvedFile } from './report.ts'
import { truthsOf } from './truths.ts'

const ROOT = join(import.meta.dirname, '../..')
export const PAGE = join(ROOT, 'docs/proof.md')

/** The runs of tests, each with all files of the one before. */
const RUNS = [
  { name: 'usual', command: 'npm test', suffix: '' },
  { name: 'ci', command: 'npm run test:ci', suffix: '.ci' },
  { name: 'exhaustive', command: 'npm run test:exhaustive', suffix: '.exhaustive' },
] as const

/** A row of the table. What a file took is empty until a report has it. */
interface ProofRow {
  readonly path: string
  /** The first run that has the file. */
  readonly run: string
  readonly truths: string
  /** Tests and processor seconds of that run. */
  readonly tests: string
  readonly seconds: string
}

/** Every file of tests in the tree, without figures. */
export function listedFiles(): readonly Pick<ProofRow, 'path' | 'run' | 'truths'>[] {
  const paths = globSync('{bin,engine,explorer,fixtures,server,test,workers}/**/*.test.ts', {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules',
  })
  return paths.toSorted().map((path) => {
    const [, suffix = ''] = /(\.\w+)\.test\.ts$/.exec(path) ?? []
    const run = RUNS.find((each) => each.suffix === suffix)?.name ?? 'usual'
    return { path, run, truths: truthsOf(path, readFileSync(join(ROOT, path), 'utf8')).join('; ') }
  })
}

/** The rows that a page has. */
export function rowsOf(page: string): readonly ProofRow[] {
  return page
    .split('\n')
    .filter((line) => /^\| `[^`]+\.test\.ts` /.test(line))
    .map((line) => {
      const [path = '', run = '', truths = '', tests = '', seconds = ''] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return { path: path.replaceAll('`', ''), run, truths, tests, seconds }
    })
}

/** The page anew: figures of these reports, else those that it had. */
export function makePage(former: string, reports: readonly ProofReport[]): string {
  const formerRow = new Map(rowsOf(former).map((row) => [row.path, row]))
  const rows = listedFiles().map((listed): ProofRow => {
    const measured = measuredFile(listed.path, listed.run, reports)
    if (!measured) {
      const { tests = '', seconds = '' } = formerRow.get(listed.path) ?? {}
      return { ...listed, tests, seconds }
    }
    const tests = String(measured.passed + measured.failed + measured.skipped)
    return { ...listed, tests, seconds: measured.processorSeconds.toFixed(1) }
  })
  const machines = new Set(reports.map(({ machine }) => machine))
  const measuredOn = [...machines].join(' and ') || /^Measured on (.*)\.$/m.exec(former)?.[1]
  const table = (lines: readonly string[]) => lines.map((line) => `| ${line} |\n`).join('')
  return `# What proves what, at which cost

\`npm run proof -- REPORT...\` makes this page from reports of runs of tests, which \`PROOF_REPORT=FILE\` has them leave.
A file belongs to a run by its name: \`*.test.ts\`, \`*.ci.test.ts\` or \`*.exhaustive.test.ts\`. Each run has all files of
the one before. Figures are those of the first run that has the file; processor seconds include the programs that it
starts.

Measured on ${measuredOn ?? 'no machine yet'}.

${table(summaryOf(rows))}
${table(['File | Run | Truth | Tests | Processor seconds', '---|---|---|--:|--:', ...rows.map(lineOf)])}`
}

const lineOf = ({ path, run, truths, tests, seconds }: ProofRow) =>
  `\`${path}\` | ${run} | ${truths} | ${tests} | ${seconds}`

function summaryOf(rows: readonly ProofRow[]): readonly string[] {
  const lines = RUNS.map(({ name, command }) => {
    const own = rows.filter(({ run }) => run === name)
    const sum = (of: (row: ProofRow) => string) =>
      own.reduce((total, row) => total + Number(of(row)), 0)
    const figures = [
      own.length,
      sum(({ tests }) => tests),
      Math.round(sum(({ seconds }) => seconds)),
    ]
    return `\`${command}\` | ${figures.join(' | ')}`
  })
  return ['Run | Files that it adds | Tests | Processor seconds', '---|--:|--:|--:', ...lines]
}

/** A file is the same in every run but for its counts: the first run that has it says what it takes. */
function measuredFile(
  path: string,
  run: string,
  reports: readonly ProofReport[],
): ProvedFile | undefined {
  const having = reports.filter(({ files }) => files.some((file) => file.path === path))
  const report = having.find((each) => each.run === run) ?? having[0]
  return report?.files.find((file) => file.path === path)
}
