import type { GeneBook } from './gene-book.ts'

/** A row that is not stored. */
export const LEFT_OUT = -1

/** What stands for a row whose gene occurs before in the same file, and has a place; and that place. */
export const repeatedPlace = (place: number) => -2 - place

/**
 * The genes of a file, row by row, as its first column has them. Files of one pipeline have the same
 * ones, so what becomes of each row is found out once. In shared memory, for the jobs.
 */
export interface GeneLayout {
  readonly ids: Uint8Array
  /** Where each row's id ends in `ids`. */
  readonly ends: Uint32Array
  /** Place of each row's gene in `genes`, LEFT_OUT, or that of a repeated gene. */
  readonly places: Int32Array
  /** Genes that are stored, ascending. */
  readonly stored: number
}

/** The first columns of a file that has a layout of its own. */
export interface UnknownRows {
  readonly ids: readonly string[]
  readonly types: readonly string[] | undefined
  readonly symbols: readonly string[] | undefined
}

/** @returns the layout, and the ids of its stored genes in the order of their places */
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

/** As a matrix has its genes and cases: by UTF-8 bytes. */
export function compareIds(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
