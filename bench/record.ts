import { homedir, hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { MachineFacts } from './machine.ts'

// Results that are kept in the repository: measured on a quiet machine, of a commit. They say what the
// machine is, and neither whose it is nor where anything lies on it.

/** Runnable processes per processor before the start, above which figures are in doubt. */
export const QUIET_LOAD = 0.25

export interface BenchResult {
  readonly bench: string
  readonly started: Date
  readonly quick: boolean
  readonly machine: MachineFacts
  readonly versions: Readonly<Record<string, string>>
  readonly contests: readonly { readonly workload: string }[]
}

export class NotKept extends Error {
  constructor(objections: readonly string[]) {
    super(`no result is kept: ${objections.join('; ')}`)
  }
}

/** Processes that ran before the start, for each processor. */
export const loadOf = ({ loadBefore, processors }: MachineFacts) => loadBefore / processors

/** Why no figures of this machine and these sources are kept now; none where they may be. */
export function objectionsTo({
  machine,
  versions,
}: Pick<BenchResult, 'machine' | 'versions'>): string[] {
  const { node, revision } = versions
  const load = loadOf(machine)
  return [
    load > QUIET_LOAD &&
      `the load is ${load.toFixed(2)} per processor; wait until it is below ${QUIET_LOAD}`,
    (revision === undefined || !/^[0-9a-f]{7,40}$/.test(revision)) &&
      `the sources are at "${revision ?? 'no commit'}"; commit what was changed`,
    (node === undefined || machine.processor === 'unknown') && 'nothing tells the processor',
  ].filter((objection) => objection !== false)
}

/**
 * The text of a result that is kept.
 * @throws NotKept where it is none, or holds what is private to the machine
 */
export function recordOf(result: BenchResult, privateWords = wordsOfThisMachine()): string {
  const text = `${JSON.stringify(result, undefined, 2)}\n`
  const said = privateWords.filter((word) => text.includes(word))
  const objections = [
    ...objectionsTo(result),
    ...(result.quick ? ['the run was a quick one'] : []),
    ...(result.contests.length === 0 ? ['nothing was measured'] : []),
    ...(said.length > 0 ? [`it tells what is private to the machine: ${said.join(', ')}`] : []),
  ]
  if (objections.length > 0) throw new NotKept(objections)
  return text
}

/**
 * What is kept of a run beside what an earlier one of the same bench, machine and commit measured:
 * its workloads take the place of theirs.
 */
export function mergedResult<Result extends BenchResult>(before: Result, now: Result): Result {
  const same = (result: Result) => {
    const { processor, processors } = result.machine
    return JSON.stringify([result.bench, processor, processors, result.versions.revision])
  }
  if (same(before) !== same(now)) return now
  const measured = new Set(now.contests.map(({ workload }) => workload))
  const others = before.contests.filter(({ workload }) => !measured.has(workload))
  return { ...now, contests: [...others, ...now.contests] }
}

/** `slicing-2026-12-31-example-processor-8.json`: the processor and how many there are. */
export function recordName({ bench, started, machine }: BenchResult): string {
  const processor = machine.processor.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const day = started.toISOString().slice(0, 10)
  return `${bench}-${day}-${processor.replace(/^-|-$/g, '')}-${machine.processors}.json`
}

/** Its names, and where things lie on it. A name of few letters may be part of any word. */
function wordsOfThisMachine(): string[] {
  const names = [hostname(), userInfo().username].filter((name) => name.length > 4)
  return [...names, homedir(), tmpdir(), join(import.meta.dirname, '..')]
}
