import type { ArraySchema, ArraysOf } from '../../../shared/arrays/array-schema.ts'

/** Gene ids of a file, in arrays that can be stored and searched without decoding. */
export const GENE_NAMES = {
  /** All ids in UTF-8, concatenated. */
  names: ['Uint8Array'],
  /** End offset of each id in `names`. */
  nameEnds: ['Uint32Array'],
  /** Rows sorted by id, and by id without version. Equal ids stay in order of rows. */
  exactOrder: ['Uint32Array'],
  looseOrder: ['Uint32Array'],
} as const satisfies ArraySchema

export type GeneNames = ArraysOf<typeof GENE_NAMES>

/** Sorts gene ids with and without their version, since files and requests may have either form. */
export function orderGenes(ids: readonly string[]): GeneNames {
  const nameEnds = new Uint32Array(ids.length)
  let length = 0
  for (const [row, id] of ids.entries()) {
    length += Buffer.byteLength(id)
    nameEnds[row] = length
  }
  const rowsBy = (keys: readonly string[]) =>
    Uint32Array.from(keys.keys()).sort((a, b) => order(keys[a] ?? '', keys[b] ?? '') || a - b)
  return {
    names: new Uint8Array(Buffer.from(ids.join(''))),
    nameEnds,
    exactOrder: rowsBy(ids),
    looseOrder: rowsBy(ids.map(unversioned)),
  }
}

/** Returns the row of a gene. An equal id takes precedence over an id with another version. */
export function rowOfGene(id: string, genes: GeneNames): number | undefined {
  const nameOf = (row: number) => {
    const start = row === 0 ? 0 : genes.nameEnds[row - 1]
    const { buffer, byteOffset, byteLength } = genes.names
    return Buffer.from(buffer, byteOffset, byteLength).toString('utf8', start, genes.nameEnds[row])
  }
  return (
    firstWith(id, genes.exactOrder, nameOf) ??
    firstWith(unversioned(id), genes.looseOrder, (row) => unversioned(nameOf(row)))
  )
}

function firstWith(key: string, rows: Uint32Array, keyOf: (row: number) => string) {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (order(keyOf(rows[middle] ?? 0), key) < 0) low = middle + 1
    else high = middle
  }
  const row = rows[low]
  return row !== undefined && keyOf(row) === key ? row : undefined
}

/** Compares strings by UTF-16 code units, like `<`. */
const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Removes the version from a gene id.
 * @example unversioned('ENSG00000002586.18_PAR_Y') // 'ENSG00000002586_PAR_Y'
 */
const unversioned = (id: string) => id.replace(/\.\d+(?=_|$)/, '')

const GENES_AT_ONCE = 16_384

/** Yields the gene ids of a file, which are read in batches of some thousand. */
export function* idsInExtents(
  genes: number,
  read: (span: readonly [start: number, end: number]) => readonly string[],
): Generator<string> {
  for (let start = 0; start < genes; start += GENES_AT_ONCE) {
    yield* read([start, Math.min(start + GENES_AT_ONCE, genes)])
  }
}
