import type { GeneBook } from './gene-book.ts'

/** Place of a row that is not stored. */
export const LEFT_OUT = -1

/** Returns the place of a row whose gene occurred before in the same file. */
export const repeatedPlace = (place: number) => -2 - place

/**
 * Genes of a file by row, as in its gene column. Files of one pipeline share a layout, so each list of genes is
 * processed once. The arrays are in shared memory for jobs.
 */
export interface GeneLayout {
  readonly ids: Uint8Array
  /** End offset of each row's id in `ids`. */
  readonly ends: Uint32Array
  /** Index of each row's gene in `genes`, LEFT_OUT, or the result of `repeatedPlace`. */
  readonly places: Int32Array
  /** Number of distinct genes that are stored. */
  readonly stored: number
}

/** Gene columns of a file with a new layout. */
export interface UnknownRows {
  readonly ids: readonly string[]
  readonly types: readonly string[] | undefined
  readonly symbols: readonly string[] | undefined
}

/**
 * Creates the layout of a file's genes.
 * @returns the layout, and the ids of its stored genes, ascending
 */
export function layoutOf(
  { ids, types, symbols }: UnknownRows,
  book: GeneBook,
): { readonly layout: GeneLayout; readonly genes: readonly string[] } {
  const rows = ids.map((id, row) => book.take(id, types?.[row], symbols?.[row]))
  const genes = [...new Set(rows.filter((gene) => gene !== undefined))].sort(compareIds)
  const placeOf = new Map(genes.map((gene, place) => [gene, place]))
  const seen = new Set<string>()
  const places = shared(Int32Array, ids.length)
  for (const [row, gene] of rows.entries()) {
    const place = gene === undefined ? undefined : placeOf.get(gene)
    if (gene === undefined || place === undefined) places[row] = LEFT_OUT
    else {
      places[row] = seen.has(gene) ? repeatedPlace(place) : place
      seen.add(gene)
    }
  }
  const texts = ids.map((id) => Buffer.from(id))
  const ends = shared(Uint32Array, ids.length)
  let end = 0
  for (const [row, text] of texts.entries()) ends[row] = end += text.length
  const bytes = shared(Uint8Array, end)
  bytes.set(Buffer.concat(texts))
  return { layout: { ids: bytes, ends, places, stored: genes.length }, genes }
}

type Numbers<T> = {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: SharedArrayBuffer): T
}

function shared<T>(type: Numbers<T>, length: number): T {
  return new type(new SharedArrayBuffer(length * type.BYTES_PER_ELEMENT))
}

/** Compares ids by their UTF-8 bytes, which is the order of genes and cases in a matrix. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
