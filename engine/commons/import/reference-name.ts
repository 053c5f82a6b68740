/** Returns the reference build named in a file name, for tables without a build column. */
export function referenceIn(fileName: string): string | undefined {
  const number = /(?:grch|hg)(19|3[78])(?!\d)/i.exec(fileName)?.[1]
  if (number === undefined) return undefined
  return number === '38' ? 'GRCh38' : 'GRCh37'
}
