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
    amount(row.oursMedian, row.unit),
    row.peer ?? '',
    row.peerMedian === undefined ? '' : amount(row.peerMedian, row.unit),
    row.as ? `${row.figure.toFixed(2)} ${row.as}` : amount(row.figure, row.unit),
    targetOf(row),
    row.met === undefined ? '' : row.met ? 'met' : 'MISSED',
  ]
}

function targetOf({ target }: Row): string {
  if (!target) return ''
  return 'atLeast' in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`
}

function amount(value: number, unit: Row['unit']): string {
  if (unit === 'ms' && value >= 1000) return `${(value / 1000).toFixed(2)} s`
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`
}
