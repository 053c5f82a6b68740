import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import type { PossibleTwins } from './case-twins.ts'
import type { ColumnReport } from './column-tally.ts'
import type { JoinReport } from './joins.ts'
import type { NameCount } from './name-counts.ts'
import type { SymbolReport } from './unknown-symbols.ts'

/** Name of the file in a release's folder that has the report of its import. */
export const REPORT_NAME = 'report.json'

/** What became of one file. */
export interface SourceReport {
  readonly source: string
  /** What kind of source it was taken for. */
  readonly kind?: string
  /** Why nothing was taken from it. */
  readonly notTaken?: string
  readonly rows: number
  /** Records that its rows describe, by dataset. */
  readonly records: Readonly<Partial<Record<DatasetName, number>>>
  readonly badRows: number
  /** Lines of headers within a table, as tables have that were put one behind the other. */
  readonly repeatedHeaders?: number
  /** Copy numbers that are no change, and cells without one: no records are made of them. */
  readonly neutral?: number
  readonly missing?: number
  /** The most frequent fields that no dataset has, or columns that mean nothing here. */
  readonly unknownFields: readonly NameCount[]
  /** Columns, or fields of JSON records whose values had to be changed. */
  readonly columns: readonly ColumnReport[]
  readonly joins: JoinReport
}

export interface BadRow {
  readonly source: string
  readonly line: number
  readonly reason: string
}

/** What became of one dataset. */
export interface DatasetReport {
  readonly records: number
  /** Records that others name and no source describes: they have little but their id. */
  readonly dangling: number
  /** The first of their ids. */
  readonly danglingIds: readonly string[]
  /** Fields of which sources of equal standing say different things, and how often. */
  readonly conflicts: readonly NameCount[]
}

export interface ImportReport {
  readonly dataRelease: string
  /** Name of the release's folder; absent after a dry run. */
  readonly releaseId?: string
  readonly sources: readonly SourceReport[]
  readonly datasets: Readonly<Record<DatasetName, DatasetReport>>
  /** The first ones; `sources` counts all. */
  readonly badRows: readonly BadRow[]
  /** Records without an id that another source names with one. */
  readonly resolvedByName: number
  /** Cases that tables made of the names of specimens, and that another source has. */
  readonly resolvedBySpecimens: number
  /** Cases without an id that another source names with one, for the same files. */
  readonly resolvedByFiles: number
  readonly possibleTwins: PossibleTwins
  readonly unknownSymbols: SymbolReport
  /** Cases that no source puts into a project. */
  readonly casesWithoutProject: number
  /** Files that no source links to a case. */
  readonly filesWithoutCase: number
  /** Replaced files, kept as history. */
  readonly versionSteps: number
}

/**
 * The report as text for a person.
 * @param columns also those of which every cell was taken as it is
 */
export function formatReport(
  report: ImportReport,
  { columns = false }: { readonly columns?: boolean } = {},
): string {
  const lines: string[] = []
  for (const source of report.sources) {
    lines.push(...sourceLines(source), ...columnLines(source.columns, columns))
    lines.push(...joinLines(source.joins))
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
    [report.casesWithoutProject, 'cases have no project'],
    [report.filesWithoutCase, 'files have no case'],
    [report.versionSteps, 'earlier versions of files are kept as history'],
  ]
  for (const [count, text] of totals) if (count > 0) lines.push(`  ${count} ${text}`)
  return `${lines.join('\n')}\n`
}

/** A line for each column with cells that were changed or not understood, or for all of them. */
function columnLines(columns: readonly ColumnReport[], all: boolean): readonly string[] {
  return columns
    .filter(({ changed, misunderstood }) => all || changed.length > 0 || misunderstood > 0)
    .map(({ name, taken, empty, changed, misunderstood, examples }) => {
      const shown = examples.map(({ line, cell }) => `"${cell}" in line ${line}`).join(', ')
      const parts = [
        `${taken} taken, ${empty} empty`,
        ...changed.map((rule) => `${rule.count} ${rule.name}`),
        ...(misunderstood > 0 ? [`${misunderstood} not understood: ${shown}`] : []),
      ]
      return `  column ${name}: ${parts.join(', ')}`
    })
}

function joinLines({ joined, unjoined, names }: JoinReport): readonly string[] {
  if (unjoined === 0 || joined === 0) return []
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
    lines.push(`    sources disagree on ${namesIn(dataset.conflicts)}`)
  }
  return lines
}

const namesIn = (names: readonly NameCount[]) =>
  names.map(({ name, count }) => `${name} (${count})`).join(', ')
