import type { Issue } from '../issue.ts'
import { type CheckedSegment, checkSegment } from './check-segment.ts'
import { readNodeName } from './node-name.ts'
import { daysOf, segmentsOf, textsOf } from './read-segment.ts'
import { hashOf, readLine, type SegmentMark } from './record-line.ts'
import type { RegisteredSegment } from './segment-register.ts'

/** Result of a verification. */
export interface VerifiedRecord {
  /** Findings and notes. */
  readonly issues: readonly Issue[]
  readonly nodes: readonly VerifiedNode[]
}

interface VerifiedNode {
  readonly node: string
  readonly segments: number
  readonly lines: number
  /** SHA-256 over the names, lengths and hashes of all segments. It changes with every new line. */
  readonly seal: string
}

/**
 * Checks the records of nodes: that no line was changed or removed, no segment is missing, and that days were
 * deleted only by the service.
 * @param folders folders of the records, one for each node
 * @param registered all segments in the state database
 */
export async function verifyRecord(
  folders: readonly string[],
  registered: readonly RegisteredSegment[],
): Promise<VerifiedRecord> {
  const issues: Issue[] = []
  const nodes: VerifiedNode[] = []
  for (const root of folders) {
    const node = await readNodeName(root)
    if (node === undefined) {
      issues.push({ subject: root, problem: 'is not the folder of an audit record' })
      continue
    }
    const own = registered.filter((row) => row.node === node)
    const checked = new Map<string, CheckedSegment>()
    const days = await daysOf(root)
    const names: string[] = []
    for (const day of days) names.push(...(await segmentsOf(root, day)))
    const wanted = await wantedLines(root, names, own)
    for (const name of names) checked.set(name, await checkSegment(root, name, wanted.get(name)))
    const found = { root, checked, rows: new Map(own.map((row) => [row.segment, row])), node, days }
    issues.push(...issuesOfFiles(found), ...issuesOfRows(found))
    nodes.push(
      sealed(
        node,
        [...checked.values()].map(({ mark }) => mark),
      ),
    )
  }
  const here = new Set(nodes.map(({ node }) => node))
  for (const [node, rows] of Map.groupBy(registered, (row) => row.node)) {
    const left = rows.filter(({ sweptAt, lines }) => sweptAt === null && lines > 0)
    if (here.has(node) || left.length === 0) continue
    const problem = `its ${left.length} segments were not verified; give the folder of its record`
    issues.push({ subject: `node ${node}`, problem, isNote: true })
  }
  return { issues, nodes }
}

/** Returns the lines of each segment whose hash the register or a later segment has. */
async function wantedLines(
  root: string,
  names: readonly string[],
  rows: readonly RegisteredSegment[],
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const wanted = new Map<string, Set<number>>()
  const want = ({ segment, lines }: SegmentMark) => {
    const known = wanted.get(segment) ?? new Set()
    wanted.set(segment, known.add(lines))
  }
  for (const row of rows) want(row)
  for (const name of names) {
    for await (const { text } of textsOf(root, name)) {
      const line = readLine(text)
      if (line?.kind === 'head' && line.former) want(line.former)
      break
    }
  }
  return wanted
}

interface FoundNode {
  readonly root: string
  readonly node: string
  readonly days: readonly string[]
  readonly checked: ReadonlyMap<string, CheckedSegment>
  readonly rows: ReadonlyMap<string, RegisteredSegment>
}

function issuesOfFiles({ checked, rows, node }: FoundNode): Issue[] {
  return [...checked].flatMap(([subject, segment]) => {
    const issues: Issue[] = segment.problems.map((problem) => ({ subject, problem }))
    if (segment.isTorn) {
      const problem = 'ends in a part of a line, as after a crash; its answer was not sent'
      issues.push({ subject, problem, isNote: true })
    }
    const { head } = segment
    if (head && head.node !== node) issues.push({ subject, problem: 'is of another node' })
    if (!rows.has(subject)) issues.push({ subject, problem: 'is not in the register' })
    if (!head) return issues
    const { former } = head
    if (former === null) return issues
    const problem = problemOfFormer(former, checked.get(former.segment), rows.get(former.segment))
    if (problem) issues.push({ subject, problem })
    return issues
  })
}

function problemOfFormer(
  former: SegmentMark,
  file: CheckedSegment | undefined,
  row: RegisteredSegment | undefined,
): string | undefined {
  const { segment, lines, sha256 } = former
  if (file) {
    if (file.hashes.get(lines) === sha256) return undefined
    return `its former segment ${segment} does not have the line ${lines} that it had`
  }
  // The lines of a deleted segment cannot be compared, only its end.
  if (row && row.sweptAt !== null && row.lines >= lines) {
    return row.lines > lines || row.sha256 === sha256
      ? undefined
      : `its former segment ${segment} ended otherwise before it was deleted`
  }
  return `its former segment ${segment} is missing`
}

function issuesOfRows({ checked, rows, days }: FoundNode): Issue[] {
  const swept = new Map(
    [...checked.values()]
      .flatMap(({ sweeps }) => sweeps)
      .flatMap(({ segments }) => segments)
      .map((mark) => [mark.segment, mark]),
  )
  return [...rows.values()].flatMap((row): Issue[] => {
    const { segment: subject, lines, sha256, sweptAt, closedAt } = row
    const file = checked.get(subject)
    if (sweptAt !== null) {
      const line = swept.get(subject)
      // The line about a deletion is itself deleted with its day.
      const isOld = sweptAt.slice(0, 10) < (days[0] ?? '')
      if (line ? line.lines === lines && line.sha256 === sha256 : isOld) return []
      return [{ subject, problem: 'was deleted, but no line of the record says so' }]
    }
    if (!file) {
      return lines === 0 ? [] : [{ subject, problem: `is missing; it had ${lines} lines` }]
    }
    const has = file.mark.lines
    if (has < lines) return [{ subject, problem: `has ${has} lines; it had ${lines}` }]
    if (lines > 0 && file.hashes.get(lines) !== sha256) {
      return [{ subject, problem: `line ${lines} is not the one that was registered` }]
    }
    if (closedAt === null || has === lines) return []
    return [{ subject, problem: `has ${has} lines; it was closed with ${lines}` }]
  })
}

function sealed(node: string, marks: readonly SegmentMark[]): VerifiedNode {
  const text = marks.map(({ segment, lines, sha256 }) => `${segment} ${lines} ${sha256}\n`).join('')
  const lines = marks.reduce((sum, mark) => sum + mark.lines, 0)
  return { node, segments: marks.length, lines, seal: hashOf(text) }
}
