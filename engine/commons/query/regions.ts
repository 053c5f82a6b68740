import { EngineError } from '../../shared/errors.ts'
import { chromosomeSpellings, parseInterval } from '../../shared/input/region.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Leaf } from './filter-tree.ts'
import { badInput } from './input.ts'

/** Fields of a genomic position: chromosome, first and last position, both 1-based and inclusive. */
const PLACES = [
  ['chromosome', 'start_position', 'end_position'],
  ['gene_chromosome', 'gene_start', 'gene_end'],
] as const

const NAME = /^((?:[^.]+\.)*)region$/

type Resolve = (name: string) => FieldPath | undefined

/** Extends a field resolver by `region`, for tables with a genomic position (data-commons.md 11.41). */
export const withRegions =
  (resolve: Resolve): Resolve =>
  (name) =>
    resolve(name) ?? regionField(name, resolve)

function regionField(name: string, resolve: Resolve): FieldPath | undefined {
  const prefix = NAME.exec(name)?.[1]
  if (prefix === undefined) return undefined
  for (const [chromosome, first, last] of PLACES) {
    const field = resolve(prefix + chromosome)
    const start = resolve(prefix + first)
    const end = resolve(prefix + last)
    if (!field || !start || !end) continue
    const path = field.path.replace(/[^.]+$/, 'region')
    return { ...field, path, region: { start: start.column.path, end: end.column.path } }
  }
  return undefined
}

/** Thousands separators in positions, as genome browsers write them. */
const COMMAS = /(?<=\d),(?=\d{3}(?!\d))/g
const MAX_LENGTH = 100

/**
 * Normalises a genomic region. Removes thousands separators and writes both positions unless the region is
 * open-ended.
 * @example regionValue('chr17:7,661,779-7,687,550', 'value') // 'chr17:7661779-7687550'
 * @throws EngineError bad_region; bad_input with the place
 */
export function regionValue(text: unknown, at: string): string {
  if (typeof text !== 'string') {
    throw badInput(`${at} must be the text of a region, such as chr17:7,661,779-7,687,550`, at)
  }
  const bare = text.length > MAX_LENGTH ? text : text.trim().replace(COMMAS, '')
  const { reference, start, end } = parseInterval(bare, at)
  return `${reference}:${start + 1}-${Number.isFinite(end) ? end : ''}`
}

/** Returns a condition on the genomic position if the text is a region with positions, otherwise undefined. */
export function regionLeaf(text: string, resolve: Resolve): Leaf | undefined {
  const field = /^\s*[a-z0-9]+:[\d-]/i.test(text) ? regionField('region', resolve) : undefined
  if (!field) return undefined
  try {
    const values = [regionValue(text, 'query')]
    return { kind: 'leaf', op: 'in', field, values, ranges: [], searchedPartCount: 0, at: 'query' }
  } catch (error) {
    // A search text may be anything, so an invalid region in it is not an error.
    if (error instanceof EngineError) return undefined
    throw error
  }
}

/** Returns, for each region, the conditions on chromosome, start and end of overlapping records. */
export function overlapsOf({ field, values, ...leaf }: Leaf): readonly (readonly Leaf[])[] {
  const { dataset } = field.column
  const at = (op: Leaf['op'], path: string, wanted: Leaf['values']): Leaf => {
    return { ...leaf, op, field: { ...field, column: { dataset, path } }, values: wanted }
  }
  const { start = '', end = '' } = field.region ?? {}
  return values.map((value) => {
    const [reference = '', first = '', last = ''] = String(value).split(/[:-]/)
    return [
      at('in', field.column.path, spellings(reference)),
      // The start is compared even for an open-ended region, because a record without a start has no position.
      at('<=', start, [last === '' ? Number.MAX_VALUE : Number(last)]),
      at('>=', end, [Number(first)]),
    ]
  })
}

/**
 * Returns the names that a release may use for the chromosome of a region.
 * @param region as returned by `regionValue`
 */
export function chromosomesOf(region: string): readonly string[] {
  return spellings(region.split(':', 1)[0] ?? '')
}

/** Returns the spellings of a chromosome in releases (data-commons.md 11.3), folded like keywords. */
function spellings(reference: string): readonly string[] {
  const bare = reference.replace(/^chr/i, '').toUpperCase()
  return chromosomeSpellings(bare).map((name) => name.toLowerCase())
}
