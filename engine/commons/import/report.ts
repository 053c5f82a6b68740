import { type ColumnReport, columnLines } from '../../shared/input/column-tally.ts'
import type { NameCount } from '../../shared/input/name-counts.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import type { PossibleTwins } from './case-twins.ts'
import type { JoinReport } from './joins.ts'
import type { SymbolReport } from './unknown-symbols.ts'

/** Name of the file in a release's folder with the report of its import. */
export const REPORT_NAME = 'report.json'

/** Report on one source file. */
export interface SourceReport {
  /** Name of the file. */
  readonly source: string
  /** Kind of source, if it was recognised. */
  readonly kind?: string
  /** Reason why nothing was imported from the source. */
  readonly notTaken?: string
  /** Number of rows or JSON records. */
  readonly rows: number
  /** Number of records that its rows describe, keyed by dataset. */
  readonly records: Readonly<Partial<Record<DatasetName, number>>>
  readonly badRows: number
  /** Number of header lines within the table, as in concatenated tables. */
  readonly repeatedHeaders?: number
  /** Number of copy numbers that show no change. They give no record. */
  readonly neutral?: number
  /** Number of missing copy numbers, which give no record either. */
  readonly missing?: number
  /** The most frequent unknown fields or unused columns. */
  readonly unknownFields: readonly NameCount[]
  /** Reports on columns, or on fields of JSON records whose values were changed. */
  readonly columns: readonly ColumnReport[]
  readonly joins: JoinReport
  /** Whether there were cases before this source to which its rows could belong. */
  readonly hadCases?: true
  /** Reasons to doubt the unit of a field's values. */
  readonly doubts?: readonly string[]
}

export interface BadRow {
  readonly source: string
  readonly line: number
  readonly reason: string
}

/** A field on which sources disagree. */
export interface FieldConflict {
  /** Name of the record, or its id. */
  readonly record: string
  readonly field: string
  /** Both values as JSON. The second one was taken. */
  readonly values: readonly [string, string]
}

/** Report on one dataset. */
export interface DatasetReport {
  readonly records: number
  /** Number of records to which others refer but which no source describes. */
  readonly dangling: number
  /** Ids of the first dangling records. */
  readonly danglingIds: readonly string[]
  /** Fields on which sources disagree, with the number of conflicts. */
  readonly conflicts: readonly NameCount[]
  /** One of the conflicts. Absent if there are none, in specimens, and in reports of earlier versions. */
  readonly firstConflict?: FieldConflict
}

export interface ImportReport {
  readonly dataRelease: string
  /** Name of the release's folder. Absent after a dry run. */
  readonly releaseId?: string
  readonly sources: readonly SourceReport[]
  readonly datasets: Readonly<Record<DatasetName, DatasetReport>>
  /** The first bad rows. `sources` has the counts of all. */
  readonly badRows: readonly BadRow[]
  /** Number of records with a generated id that were matched by name to a record with an id. */
  readonly resolvedByName: number
  /** Number of cases made by tables from names of specimens, and matched to a case of another source. */
  readonly resolvedBySpecimens: number
  /** Number of cases without an id that their files matched to a case of another source. */
  readonly resolvedByFiles: number
  readonly possibleTwins: PossibleTwins
  readonly unknownSymbols: SymbolReport
  /** Number of cases without a project in any source. */
  readonly casesWithoutProject: number
  /** Number of cases with the vital status Alive and days to death. */
  readonly aliveWithDeath: number
  /** Number of cases with a last follow-up after their death. Absent in reports of earlier versions. */
  readonly seenAfterDeath?: number
  /** Number of files without a case in any source. */
  readonly filesWithoutCase: number
  /** Number of replaced files in the version history. */
  readonly versionSteps: number
}

/**
 * Formats the report as text for people.
 * @param columns whether to list columns without any changed or unreadable cell, too
 */
export function formatReport(
  report: ImportReport,
  { columns = false }: { readonly columns?: boolean } = {},
): string {
  const lines: string[] = []
  for (const source of report.sources) {
    lines.push(...sourceLines(source), ...columnLines(source.columns, columns))
    lines.push(...(source.doubts ?? []).map((doubt) => `  ${doubt}`), ...joinLines(source))
  }
  if (report.badRows.length > 0) {
    lines.push('', 'rows that were not taken:')
    for (const { source, line, reason } of report.badRows)
      lines.push(`  ${source}:${line}: ${reason}`)
  }
  lines.push('', `${report.dataRelease}:`)
  for (const name of DATASET_NAMES) lines.push(...datasetLines(name, report.datasets[name]))
  lines.push(...twinLines(report.possibleTwins), ...symbolLines(report.unknownSymbols))
  const totals: readonly (readonly [number, string])[] = [
    [report.resolvedByName, 'records without an id were recognised by their name'],
    [report.resolvedBySpecimens, 'cases of tables were recognised by their specimens'],
    [report.resolvedByFiles, 'cases without an id were recognised by their files'],
    [report.aliveWithDeath, 'cases are Alive, and have days to death'],
    [report.seenAfterDeath ?? 0, 'cases have a last follow-up after their death'],
    [report.casesWithoutProject, 'cases have no project'],
    [report.filesWithoutCase, 'files have no case'],
    [report.versionSteps, 'earlier versions of files are kept as history'],
  ]
  for (const [count, text] of totals) if (count > 0) lines.push(`  ${count} ${text}`)
  return `${lines.join('\n')}\n`
}

function joinLines({ joins, hadCases }: SourceReport): readonly string[] {
  const { joined, unjoined, names } = joins
  if (unjoined === 0 || (joined === 0 && !hadCases)) return []
  const named = names.length > 0 ? `: ${names.join(', ')}` : ''
  return [`  rows of known cases: ${joined}; of new ones: ${unjoined}${named}`]
}

function symbolLines({ count, first, dates }: SymbolReport): readonly string[] {
  if (count === 0) return []
  const lines = [`  ${count} gene symbols are not in the gene model: ${namesIn(first)}`]
  if (dates.length > 0) {
    lines.push(`    a spreadsheet made dates of the symbols ${dates.join(', ')}`)
  }
  return lines
}

function twinLines({ count, first }: PossibleTwins): readonly string[] {
  if (count === 0) return []
  const lines = [`  ${count} times cases may be one person and could not be joined:`]
  for (const { cases, reason } of first) {
    const places = cases.map(({ case: name, source, line }) => {
      return line === 0 ? `"${name}" (${source})` : `"${name}" (${source}:${line})`
    })
    lines.push(`    ${places.join(', ')}: ${reason}`)
  }
  return lines
}

function sourceLines(source: SourceReport): readonly string[] {
  if (source.notTaken !== undefined) return [`${source.source}: not taken: ${source.notTaken}`]
  const records = Object.entries(source.records).map(([name, count]) => `${count} ${name}`)
  const bad = source.badRows > 0 ? `, ${source.badRows} rows not taken` : ''
  const reported = records.length > 0 ? `: ${records.join(', ')}` : ''
  const lines = [`${source.source}: ${source.kind}, ${source.rows} rows${reported}${bad}`]
  if (source.repeatedHeaders !== undefined) {
    lines.push(`  header lines within the table that were skipped: ${source.repeatedHeaders}`)
  }
  const left = [
    ...(source.neutral === undefined ? [] : [`${source.neutral} neutral`]),
    ...(source.missing === undefined ? [] : [`${source.missing} missing`]),
  ]
  if (left.length > 0) lines.push(`  copy numbers of which no record is made: ${left.join(', ')}`)
  if (source.unknownFields.length > 0) {
    lines.push(`  unknown fields: ${namesIn(source.unknownFields)}`)
  }
  return lines
}

function datasetLines(name: DatasetName, dataset: DatasetReport): readonly string[] {
  if (dataset.records === 0) return []
  const lines = [`  ${name}: ${dataset.records}`]
  if (dataset.dangling > 0) {
    const ids = dataset.danglingIds.join(', ')
    lines.push(`    ${dataset.dangling} are named but not described: ${ids}`)
  }
  if (dataset.conflicts.length > 0) {
    const { conflicts, firstConflict } = dataset
    const example = firstConflict ? `, such as ${conflictText(firstConflict)}` : ''
    lines.push(`    sources disagree on ${namesIn(conflicts)}${example}`)
  }
  return lines
}

/** Says a conflict, such as `vital_status of "P1": "Alive" and "Dead", which was taken`. */
export const conflictText = ({ record, field, values: [one, other] }: FieldConflict): string =>
  `${field} of "${record}": ${one} and ${other}, which was taken`

const namesIn = (names: readonly NameCount[]) =>
  names.map(({ name, count }) => `${name} (${count})`).join(', ')
