/**
 * Returns the file name of a manifest.
 * @example manifestName(new Date('2025-01-02T03:04:05Z')) // 'manifest_20250102_030405.txt'
 */
export function manifestName(time: Date): string {
  const { date, clock } = partsOf(time)
  return `manifest_${date}_${clock}.txt`
}

/**
 * Returns the file name of an archive (data-commons.md 5.2), with microseconds padded from milliseconds.
 * @example archiveName(new Date('2025-01-02T03:04:05.678Z'), 'tar') // 'download_20250102_030405.678000.tar'
 */
export function archiveName(time: Date, ending: 'tar' | 'tar.gz'): string {
  const { date, clock, fraction } = partsOf(time)
  return `download_${date}_${clock}.${fraction.padEnd(6, '0')}.${ending}`
}

/**
 * Returns the portal's file name for a selection of cases (data-commons.md 11.42).
 * @example caseTablesName('clinical', 'tsv', time) // 'clinical.cases_selection.2025-01-02.tar.gz'
 */
export function caseTablesName(kind: string, format: 'tsv' | 'json', time: Date): string {
  const ending = format === 'tsv' ? 'tar.gz' : 'json'
  return `${kind}.cases_selection.${time.toISOString().slice(0, 10)}.${ending}`
}

/**
 * Returns the portal's file name for a table.
 * @example tableName('top-ssms', 'tsv', time) // 'top-ssms.2025-01-02.tsv'
 */
export const tableName = (table: string, format: 'tsv' | 'json', time: Date): string =>
  `${table}.${time.toISOString().slice(0, 10)}.${format}`

function partsOf(time: Date) {
  const digits = time.toISOString().replace(/[-:Z]/g, '')
  const [date = '', clock = '', fraction = ''] = digits.split(/[T.]/)
  return { date, clock, fraction }
}
