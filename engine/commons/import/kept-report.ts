import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { Releases } from '../release/releases.ts'
import {
  EXPRESSION_REPORT_NAME,
  type ExpressionReport,
  formatExpressionReport,
} from './expression/expression-report.ts'
import { formatReport, type ImportReport, REPORT_NAME } from './report.ts'

/** The reports of a release. Each may be absent, because earlier versions did not store it. */
export interface KeptReport extends Partial<ImportReport> {
  /** Report of the import that made its expression matrix. */
  readonly expression?: ExpressionReport
}

/**
 * Reads the reports of the imports that made the records of a release and its expression matrix.
 * @param id name of the release's folder, by default that of the current release
 * @throws EngineError not_found for an unknown release, or one without a report
 */
export async function readReport(dataFolder: string, id?: string): Promise<KeptReport> {
  const releases = new Releases(dataFolder)
  const all = await releases.list()
  const wanted = id ?? (await releases.current())
  if (!all.some((release) => release.id === wanted)) {
    const message = `the data folder has no release ${id ?? ''}; casemill release list shows them`
    throw new EngineError('not_found', message)
  }
  const folder = releases.folder(wanted ?? '')
  const texts = [REPORT_NAME, EXPRESSION_REPORT_NAME].map((name) =>
    unlessAbsent(readFile(join(folder, name), 'utf8')),
  )
  const [records, expression] = await Promise.all(texts)
  if (records === undefined && expression === undefined) {
    throw new EngineError(
      'not_found',
      `release ${wanted} has no report: an earlier version made it`,
    )
  }
  return {
    ...(records !== undefined && (JSON.parse(records) as ImportReport)),
    ...(expression !== undefined && { expression: JSON.parse(expression) as ExpressionReport }),
  }
}

/** Formats the reports as text, with all columns of tables. */
export function formatKeptReport({ expression, ...records }: KeptReport): string {
  return [
    ...(hasRecords(records) ? [formatReport(records, { columns: true })] : []),
    ...(expression ? [formatExpressionReport(expression)] : []),
  ].join('\n')
}

const hasRecords = (report: Partial<ImportReport>): report is ImportReport =>
  report.datasets !== undefined
