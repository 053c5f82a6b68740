import type { ColumnTally } from '../../shared/input/column-tally.ts'
import { type JsonObject, textIn } from '../../shared/input/json-value.ts'
import { lastBaseOf } from '../datasets/chromosome-lengths.ts'
import { CELL_READERS, CHANGES } from './cells.ts'
import { referenceOf } from './reference-name.ts'
import { placeIn, proveWithin } from './span.ts'

/** The doubt about a segment or gene that ends behind its chromosome, as it follows a number. */
export const BEHIND_END = 'segments end behind the end of their chromosome'

interface PlaceRules {
  /** Whether the record is a mutation, whose chromosome has `chr` before its name. */
  readonly isMutation: boolean
  readonly chromosomeTally: () => ColumnTally
  readonly noteDoubt: (reason: string, cell: string) => void
}

/**
 * Checks the location of a mutation, gene or segment in a record by the rules for rows of tables, and writes
 * the name of its chromosome as they do. A location without its chromosome, or without a position, is not checked.
 * @throws RowError for a start behind the end, or a position behind the end of the chromosome
 */
export function settlePlace(
  record: JsonObject,
  { isMutation, chromosomeTally, noteDoubt }: PlaceRules,
): void {
  const given = textIn(record.chromosome)
  if (given === undefined) return
  const chromosome = CELL_READERS.chromosome(given, '')
  if (typeof chromosome !== 'string') {
    chromosomeTally().addMisunderstood(given)
    return
  }
  const name = isMutation ? `chr${chromosome}` : chromosome
  if (name !== given) {
    record.chromosome = name
    chromosomeTally().addChange(CHANGES.chromosome)
  }
  const { start_position: start, end_position: end, reference_allele: reference } = record
  if (typeof start !== 'number' || typeof end !== 'number') return
  const written = textIn(record.agency_build)
  const build = written === undefined ? undefined : referenceOf(written)
  placeIn({ chromosome, start, end }, build)
  if (!isMutation) {
    if (end > lastBaseOf(chromosome, build)) noteDoubt(BEHIND_END, `${chromosome}:${end}`)
  }
  // An insertion behind the last base ends behind it.
  else if (reference !== '-') proveWithin(end, chromosome, build)
}
