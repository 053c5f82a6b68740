import { formatTable } from '../bin/table.ts'
import type { Row } from './bench.ts'

const HEADER = ['workload', 'ours', '', 'peer', '', 'figure', 'target', '']

/** The rows as a table for a person. */
export function tableOf(rows: readonly Row[]): string {
  return formatTable(HEADER, rows.map(cells), true)
}

function cells(row: Row): string[] {
  return [
    row.workload,
    row.ours,
    amountText(row.oursMedian, row.unit),
    row.peer ?? '',
    row.peerMedian === undefined ? '' : amountText(row.peerMedian, row.unit),
    row.as ? `${row.figure.toFixed(2)} ${row.as}` : amountText(row.figure, row.unit),
    targetText(row),
    row.met === undefined ? '' : row.met ? 'met' : 'MISSED',
  ]
}

/** `>= 5`, or nothing. */
export function targetText({ target }: Pick<Row, 'target'>): string {
  if (!target) return ''
  if ('within' in target) return `${1 - target.within} to ${1 + target.within}`
  return 'atLeast' in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`
}

/** A number of a unit with some three digits. */
export function amountText(value: number, unit: Row['unit']): string {
  if (unit === 'ms' && value >= 1000) return `${(value / 1000).toFixed(2)} s`
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`
}
