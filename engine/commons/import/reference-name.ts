/** Returns the reference build named in a file name, for tables without a build column. */
export function referenceIn(fileName: string): string | undefined {
  return nameOf(/(?:grch|hg)(19|3[78])(?!\d)/i.exec(fileName)?.[1])
}

/** Returns the same name for all spellings of a reference build, such as `37`, `hg19` and `GRCh37-lite`. */
export function referenceOf(text: string): string {
  return nameOf(/^(?:grch|hg|hs|b)?(19|3[78])(?!\d)/i.exec(text)?.[1]) ?? text
}

const nameOf = (number: string | undefined) =>
  number === undefined ? undefined : number === '38' ? 'GRCh38' : 'GRCh37'
