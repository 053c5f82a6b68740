/** Genes of a set, with its name if the text has one. */
export interface GeneSet {
  readonly set?: string
  readonly genes: readonly string[]
}

/** Maximum number of genes of a set, as they stand in the address. */
export const MAX_SET_GENES = 500

/** Reads pasted names of genes, or the first set if they are lines of a file in GMT. */
export function readGeneSet(text: string): GeneSet {
  const [line = ''] = text.trim().split(/\r?\n/, 1)
  // A line of pasted symbols has no description, which is a link or several words.
  const isGmt = /[\s:/]|^(na|-)?$/i.test(line.split('\t')[1]?.trim() ?? 'TP53')
  return (isGmt ? setOf(line) : undefined) ?? { genes: distinct(text.split(/[\s,;]+/)) }
}

/**
 * Reads the sets of a file in GMT: lines with a name, a description and the genes, separated by tabs. A file without
 * such lines is one set of names.
 */
export function readGeneSets(text: string): readonly GeneSet[] {
  const sets = text.split(/\r?\n/).flatMap((line) => setOf(line) ?? [])
  return sets.length > 0 ? sets : [readGeneSet(text)]
}

function setOf(line: string): GeneSet | undefined {
  const [set = '', , ...genes] = line.split('\t').map((cell) => cell.trim())
  return set !== '' && genes.length > 0 ? { set, genes: distinct(genes) } : undefined
}

/** Returns each name once, whatever its letters, in the order of the first ones. */
function distinct(names: readonly string[]): readonly string[] {
  const given = names.filter((name) => name !== '')
  return [...new Map(given.map((name) => [name.toUpperCase(), name])).values()]
}
