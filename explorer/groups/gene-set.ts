/** Genes of a set, with its name if the text has one. */
interface GeneSet {
  readonly set?: string
  readonly genes: readonly string[]
}

/** Maximum number of genes of a set, as they stand in the address. */
export const MAX_SET_GENES = 500

/**
 * Reads pasted names of genes, or the first set of a file in GMT: a line with its name, a description and the genes,
 * separated by tabs.
 */
export function readGeneSet(text: string): GeneSet {
  const [line = ''] = text.trim().split(/\r?\n/, 1)
  const cells = line.split('\t').map((cell) => cell.trim())
  // A line of pasted symbols has no description, which is a link or several words.
  const isGmt = cells.length > 2 && /[\s:/]|^(na|-)?$/i.test(cells[1] ?? '')
  const words = isGmt ? cells.slice(2) : text.split(/[\s,;]+/)
  const byKey = new Map(
    words.filter((word) => word !== '').map((word) => [word.toUpperCase(), word]),
  )
  const genes = [...byKey.values()].slice(0, MAX_SET_GENES)
  return isGmt && cells[0] ? { set: cells[0], genes } : { genes }
}
