const VERSIONED = /^(ENS[A-Z]*G[A-Z]*\d+)\.\d+(_PAR_Y)?$/

/** Returns a gene's id without its version. The copy on Y keeps its suffix (data-commons.md 11.3). */
export function withoutVersion(id: string): string {
  const [, gene, copy = ''] = VERSIONED.exec(id) ?? []
  return gene === undefined ? id : gene + copy
}
