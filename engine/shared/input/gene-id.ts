const ANY_ENSEMBL = /^ENSG\d+(\.\d+)?(_PAR_Y)?$/i

/**
 * Removes the version of an Ensembl id, which is written in upper case. A copy on Y has a suffix after the
 * version, and keeps both.
 */
export const withoutVersion = (id: string): string =>
  ANY_ENSEMBL.test(id) ? id.toUpperCase().replace(/^(ENSG\d+)\.\d+$/, '$1') : id
