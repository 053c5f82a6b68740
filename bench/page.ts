import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContestOutcome, Row } from './bench.ts'
import type { MachineFacts } from './machine.ts'
import { amountText, targetText } from './report.ts'

// Generates docs/performance.md from the recorded results: `npm run performance`.

const RESULTS = join(import.meta.dirname, 'results')
const PAGE = join(import.meta.dirname, '..', 'docs', 'performance.md')

/** Result that `--record` writes. */
export interface KeptResult {
  readonly bench: string
  /** ISO time. */
  readonly started: string
  readonly machine: MachineFacts
  readonly versions: Readonly<Record<string, string>>
  readonly contests: readonly Pick<ContestOutcome, 'workload' | 'rows'>[]
}

const INTRODUCTION = `# Performance

\`npm run performance\` generates this page from the recorded results. [The description of the benches](../bench/README.md)
says what each workload measures, and how the other programs are set up.

Each row is one interleaved run. The contenders take turns, round after round, after their answers were compared. The
ratio is the median over the rounds, with the lowest and the highest one in parentheses. Compare only rows of one
machine, and ratios rather than times.
`

/** Returns the recorded results, oldest first. */
export function keptResults(): KeptResult[] {
  // A checkout without results has no such folder.
  const names = existsSync(RESULTS) ? readdirSync(RESULTS).filter(isKept) : []
  const results = names.map(
    (name) => JSON.parse(readFileSync(join(RESULTS, name), 'utf8')) as KeptResult,
  )
  return results.sort((a, b) => (a.started < b.started ? -1 : 1))
}

/** Every run writes a `.local.json` file, which git ignores. */
const isKept = (name: string) => name.endsWith('.json') && !name.endsWith('.local.json')

/** Returns the page: for each machine, the newest figure of every workload. */
export function performancePage(results: readonly KeptResult[]): string {
  const byMachine = Map.groupBy(results, ({ machine }) => machineText(machine))
  const sections = [...byMachine].map(([machine, own]) => {
    const byBench = [...Map.groupBy(own, ({ bench }) => bench)].sort(([a], [b]) => (a < b ? -1 : 1))
    return `\n## ${machine}\n${byBench.map(([bench, of]) => benchSection(bench, of)).join('')}`
  })
  return INTRODUCTION + (sections.join('') || '\nNo results are recorded yet.\n')
}

function machineText({ processor, processors, memoryBytes, system }: MachineFacts): string {
  const memory = Math.round(memoryBytes / 2 ** 30)
  const [platform = '', architecture = ''] = system.split(' ')
  return `${processor}, ${processors} processors, ${memory} GiB, ${platform} ${architecture}`
}

function benchSection(bench: string, results: readonly KeptResult[]): string {
  const newest = new Map<string, { readonly rows: readonly Row[]; readonly of: KeptResult }>()
  for (const of of results) {
    for (const { workload, rows } of of.contests) newest.set(workload, { rows, of })
  }
  const lines = [...newest.values()].flatMap(({ rows, of }) => rows.map((row) => lineOf(row, of)))
  const header = ['Workload', 'Ours', 'Peer', 'Figure', 'Target', 'Commit, date']
  const table = [header, header.map(() => '---'), ...lines]
  const text = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  return `\n### \`npm run bench -- ${bench}\`\n\n${text}\n${toolsLine(results)}`
}

function lineOf(row: Row, { versions, started }: KeptResult): string[] {
  const { ours, oursMedian, peer, peerMedian, unit, workload } = row
  return [
    workload,
    `${ours}: ${amountText(oursMedian, unit)}`,
    peer === undefined || peerMedian === undefined
      ? ''
      : `${peer}: ${amountText(peerMedian, unit)}`,
    figureText(row),
    `${targetText(row)}${row.met === false ? ', **missed**' : ''}`,
    `${versions.revision}, ${started.slice(0, 10)}`,
  ].map((cell) => cell.replaceAll('|', '\\|'))
}

function figureText({ as, figure, ratios }: Row): string {
  if (!as) return ''
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
  return `${figure.toFixed(2)} ${as} (${least} to ${most})`
}

/** Returns the line with the versions of the tools in the newest run. */
function toolsLine(results: readonly KeptResult[]): string {
  const { revision: _, ...versions } = results.at(-1)?.versions ?? {}
  const tools = Object.entries(versions).map(([name, version]) => `${name} ${shortened(version)}`)
  return `With ${tools.join(', ')}.\n`
}

/** Returns the version number in the output of a program's version option. */
const shortened = (version: string) => /\d+(\.\d+)+/.exec(version)?.[0] ?? version

if (import.meta.main) writeFileSync(PAGE, performancePage(keptResults()))
