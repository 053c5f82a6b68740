import type { MatrixKind } from '../../analysis/expression/matrix-format.ts'
import type { BadRow } from '../report.ts'
import type { Choice, LeftOutReason } from './choose.ts'
import type { GenesLeftOut } from './gene-book.ts'
import type { EmptyCells } from './issue-tally.ts'
import type { NotTaken } from './tables.ts'

/** Name of the file in a release's folder with the report of the import that made its matrix. */
export const EXPRESSION_REPORT_NAME = 'expression-report.json'

/** Number of samples that were left out for a certain reason. */
export interface SamplesLeftOut {
  readonly reason: LeftOutReason
  readonly count: number
  /** First files of these samples. */
  readonly files: readonly string[]
  /** First names of these samples in matrices. */
  readonly names: readonly string[]
}

export interface ExpressionReport {
  readonly dataRelease: string
  /** Name of the release's folder. Undefined after a dry run. */
  readonly releaseId?: string
  /** Number of files with one sample. */
  readonly sampleFiles: number
  readonly matrixFiles: number
  readonly notTaken: { readonly count: number; readonly first: readonly NotTaken[] }
  readonly samplesRead: number
  /** Number of samples kept from the existing matrix. */
  readonly samplesKept: number
  readonly samplesLeftOut: readonly SamplesLeftOut[]
  /** Number of cases in the new matrix. */
  readonly cases: number
  readonly controlledCases: number
  readonly genes: number
  readonly kind: MatrixKind
  readonly genesLeftOut: GenesLeftOut
  /** Reasons to doubt that a file's values are FPKM-UQ. */
  readonly doubts: readonly string[]
  /** Cells that mean a missing value, by file. */
  readonly emptyCells: readonly EmptyCells[]
  /** First rejected rows and values. `badRowCount` is the number of all. */
  readonly badRows: readonly BadRow[]
  readonly badRowCount: number
}

/** Reasons why samples are left out, as phrases after their number. */
export const REASONS: Readonly<Record<LeftOutReason, string>> = {
  noCase: 'samples have no case in the release',
  severalCases: 'samples may be of several cases or files of the release',
  normal: 'samples are normal tissue',
  otherSample: 'samples gave way to another one of their case',
  keptSample: 'samples gave way to the one of their case that is there',
}

/** Maximum numbers of files, and of samples of matrices, to name per reason. */
const MAX_NAMED = 5
/** Maximum number of rejected files to report. */
const MAX_NOT_TAKEN = 20

export function leftOutOf(leftOut: Choice['leftOut']): readonly SamplesLeftOut[] {
  const reasons = Object.keys(REASONS) as LeftOutReason[]
  return reasons.flatMap((reason) => {
    const samples = leftOut.get(reason)
    if (!samples) return []
    const files = [...new Set(samples.map(({ file }) => file))].slice(0, MAX_NAMED)
    const names = samples.flatMap(({ name }) => name ?? []).slice(0, MAX_NAMED)
    return [{ reason, count: samples.length, files, names }]
  })
}

export const notTakenOf = (all: readonly NotTaken[]) => ({
  count: all.length,
  first: all.slice(0, MAX_NOT_TAKEN),
})

/** Formats the report as text. */
export function formatExpressionReport(report: ExpressionReport): string {
  const { notTaken, samplesLeftOut, genesLeftOut, badRows, badRowCount } = report
  const lines = notTaken.first.map(({ source, reason }) => `${source}: not taken: ${reason}`)
  const more = notTaken.count - notTaken.first.length
  if (more > 0) lines.push(`${more} more files were not taken`)
  lines.push(
    `${report.sampleFiles} files of one sample, ${report.matrixFiles} matrices: ${report.samplesRead} samples read`,
  )
  for (const { reason, count, files, names } of samplesLeftOut) {
    const named = names.length > 0 ? ` (${names.join(', ')})` : ''
    lines.push(`  ${count} ${REASONS[reason]}: ${files.join(', ')}${named}`)
  }
  const genes: readonly (readonly [number, string])[] = [
    [genesLeftOut.notCoding, 'genes do not code for a protein'],
    [genesLeftOut.unknown, 'genes are not in the release, and no file has their type'],
  ]
  for (const [count, text] of genes) if (count > 0) lines.push(`  ${count} ${text}`)
  if (genesLeftOut.names.length > 0) lines.push(`    such as ${genesLeftOut.names.join(', ')}`)
  if (genesLeftOut.dates.length > 0) {
    lines.push(`    a spreadsheet made dates of the symbols ${genesLeftOut.dates.join(', ')}`)
  }
  for (const doubt of report.doubts) lines.push(`  ${doubt}`)
  for (const { source, count, columns } of report.emptyCells) {
    const named = columns.map(({ name, count }) => `${name} (${count})`).join(', ')
    lines.push(`  ${source}: ${count} cells are empty, in columns ${named}`)
  }
  if (badRowCount > 0) {
    lines.push('', 'rows and values that were not taken:')
    for (const { source, line, reason } of badRows) lines.push(`  ${source}:${line}: ${reason}`)
    const others = badRowCount - badRows.length
    if (others > 0) lines.push(`  and ${others} more`)
  }
  lines.push('', `${report.dataRelease}:`)
  const before = report.samplesKept > 0 ? `, ${report.samplesKept} of them as before` : ''
  const controlled = report.controlledCases > 0 ? `, ${report.controlledCases} controlled` : ''
  lines.push(`  expression: ${report.genes} genes of ${report.cases} cases${before}${controlled}`)
  if (report.kind === 'double') lines.push('  kept as 64-bit numbers')
  return `${lines.join('\n')}\n`
}
