import { type JsonObject, textIn } from '../../shared/input/json-value.ts'
import { CELL_READERS } from './cells.ts'
import { lastBaseOf } from './chromosome-lengths.ts'
import { referenceOf } from './reference-name.ts'
import { placeIn, proveWithin } from './span.ts'

/** The doubt about a segment or gene that ends behind its chromosome, as it follows a number. */
export const BEHIND_END = 'segments end behind the end of their chromosome'

/**
 * Checks the location of a mutation, gene or segment in a record, by the rules for rows of tables. A location
 * without its chromosome, or without a position, is left alone.
 * @throws RowError for a start behind the end, or a position behind the end of the chromosome
 */
export function provePlace(
  record: JsonObject,
  noteDoubt: (reason: string, cell: string) => void,
): void {
  const { start_position: start, end_position: end } = record
  const name = textIn(record.chromosome)
  if (name === undefined || typeof start !== 'number' || typeof end !== 'number') return
  const chromosome = CELL_READERS.chromosome(name, '')
  if (typeof chromosome !== 'string') return
  const written = textIn(record.ncbi_build)
  const build = written === undefined ? undefined : referenceOf(written)
  placeIn({ chromosome, start, end }, build)
  if (!Object.hasOwn(record, 'reference_allele')) {
    if (end > lastBaseOf(chromosome, build)) noteDoubt(BEHIND_END, `${chromosome}:${end}`)
  }
  // An insertion behind the last base ends behind it.
  else if (record.reference_allele !== '-') proveWithin(end, chromosome, build)
}
