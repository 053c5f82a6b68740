const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Formats a size in bytes: `1.4 GB`. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return ''
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  return `${value.toLocaleString('en', { maximumSignificantDigits: 3 })} ${UNITS[power]}`
}
