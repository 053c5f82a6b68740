import { REASONS } from '../../commons/import/expression/expression-report.ts'
import { formatReport, type ImportReport } from '../../commons/import/report.ts'
import { type UnsubmittedCount, waitingText } from '../transactions/store/entities.ts'
import type { ReleasedExpression } from './expression-files.ts'
import type { ReleaseProblem } from './problem.ts'
import type { ReleasedProject } from './take-project.ts'

/** Numbers of entities of a project that a release leaves out, because they are not submitted yet. */
export interface UnsubmittedEntities {
  readonly projectId: string
  readonly waiting: readonly UnsubmittedCount[]
}

/** Result of a release, or of a dry run. */
export interface ReleasingReport {
  /** Number of the new release. Undefined if there is nothing to release. */
  readonly dataRelease?: string
  /** Name of the new release's folder. Undefined after a dry run or if nothing was built. */
  readonly releaseId?: string
  readonly projects: readonly ReleasedProject[]
  /** Number of redacted entities that the release leaves out. */
  readonly redacted?: number
  /** Ids of projects that the previous release already contained completely. */
  readonly unchanged: readonly string[]
  /** Entities of the examined projects that are not submitted. */
  readonly waiting: readonly UnsubmittedEntities[]
  /**
   * Projects that submitted further entities while the release was made. It does not contain these; the next one
   * will.
   */
  readonly changedMeanwhile: readonly string[]
  /** Problems that prevent the release. */
  readonly problems: readonly ReleaseProblem[]
  /** Total number of problems. `problems` contains only the first ones. */
  readonly problemCount: number
  /** Notes on the released entities. */
  readonly notes: readonly ReleaseProblem[]
  readonly expression?: ReleasedExpression
  /** Report on the whole release, including projects that did not change. */
  readonly made?: ImportReport
}

/** Formats the report as text. */
export function formatReleasingReport(report: ReleasingReport): string {
  const { projects, unchanged, changedMeanwhile, problems, problemCount, notes } = report
  const lines: string[] = []
  for (const project of projects) lines.push(projectLine(project))
  const { redacted = 0 } = report
  if (redacted > 0) lines.push(`without ${redacted} redacted entities`)
  for (const id of unchanged) lines.push(`${id}: the release has all of it already`)
  for (const { projectId, waiting } of report.waiting) {
    lines.push(
      `${projectId}: ${waitingText(waiting)}; its submitters review and submit the project, then mark it for release again`,
    )
  }
  for (const id of changedMeanwhile) {
    lines.push(`${id}: submitted more in the meantime; release again to include it`)
  }
  for (const note of notes) lines.push(lineOf(note))
  if (problems.length > 0) lines.push('', 'not released because of:', ...problems.map(lineOf))
  const more = problemCount - problems.length
  if (more > 0) lines.push(`and ${more} more`)
  if (problems.length > 0) {
    lines.push(
      '',
      'casemill project reopen ID gives a project back to its submitters to correct this',
    )
  }
  if (report.expression) lines.push(...expressionLines(report.expression))
  for (const { source, unknownFields } of report.made?.sources ?? []) {
    const fields = unknownFields.map(({ name, count }) => `${name} (${count})`)
    if (fields.length > 0) lines.push(`${source}: kept and not searchable: ${fields.join(', ')}`)
  }
  if (report.made) lines.push(formatReport({ ...report.made, sources: [] }).trim())
  const isNothing = projects.length === 0 && problems.length === 0 && redacted === 0
  if (isNothing) {
    lines.push(
      unchanged.length > 0
        ? 'there is nothing new to release'
        : 'there is nothing to release: no project is marked as released; casemill project list shows their states',
    )
  }
  return `${lines.join('\n')}\n`
}

function projectLine(project: ReleasedProject): string {
  const { projectId, cases, files, annotations, entities, formerVersions } = project
  const versions = formerVersions > 0 ? `, ${formerVersions} former versions of files` : ''
  return `${projectId}: ${cases} cases, ${files} files, ${annotations} annotations out of ${entities} entities${versions}`
}

const lineOf = ({ projectId, entityId, type, problem }: ReleaseProblem) =>
  `${projectId}: ${entityId === null ? '' : `${type} ${entityId}: `}${problem}`

function expressionLines(expression: ReleasedExpression): readonly string[] {
  const { samplesRead, samplesLeftOut, cases, genes } = expression
  return [
    `expression: ${samplesRead} samples read; ${genes} genes of ${cases} cases now`,
    ...samplesLeftOut.map(({ reason, count, files }) => {
      return `  ${count} ${REASONS[reason]}: ${files.join(', ')}`
    }),
  ]
}
