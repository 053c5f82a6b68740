import { REASONS } from '../../commons/import/expression/expression-report.ts'
import { formatReport, type ImportReport } from '../../commons/import/report.ts'
import { type Waiting, waitingText } from '../transactions/store/entities.ts'
import type { ReleasedExpression } from './expression-files.ts'
import type { ReleaseProblem } from './problem.ts'
import type { TakenProject } from './take-project.ts'

/** Entities of a project that no release takes until they are submitted. */
export interface ProjectWaiting {
  readonly projectId: string
  readonly waiting: readonly Waiting[]
}

/** What was released, or would be. */
export interface ReleasingReport {
  /** Number of the release that was made, or would be; absent when there is nothing new. */
  readonly dataRelease?: string
  /** Name of its folder; absent after a dry run, and when nothing was made. */
  readonly releaseId?: string
  readonly projects: readonly TakenProject[]
  /** Entities that the release is without, as they were redacted. */
  readonly redacted?: number
  /** Projects of which the release that was there has all: no new one is made for them. */
  readonly unchanged: readonly string[]
  /** What is in these and other projects that were looked at, and was not submitted. */
  readonly waiting: readonly ProjectWaiting[]
  /** Projects that submitted something else meanwhile: what is new goes into the next release. */
  readonly changedMeanwhile: readonly string[]
  /** What prevents that projects are released; nothing is made while there is any. */
  readonly problems: readonly ReleaseProblem[]
  /** All of them; `problems` has the first. */
  readonly problemCount: number
  /** What is worth knowing of what is released. */
  readonly notes: readonly ReleaseProblem[]
  readonly expression?: ReleasedExpression
  /** The whole release, with what it has of other projects. */
  readonly made?: ImportReport
}

/** The report as text for a person. */
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
    lines.push(`${id}: submitted more meanwhile; release again for that`)
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

function projectLine(project: TakenProject): string {
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
