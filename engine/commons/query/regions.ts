import { EngineError } from '../../shared/errors.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { chromosomeSpellings, parseInterval } from '../slicing/region.ts'
import type { Leaf } from './filter-tree.ts'
import { badInput } from './input.ts'

/** Fields that give a place in the genome: its chromosome, first and last position, counted from 1. */
const PLACES = [
  ['chromosome', 'start_position', 'end_position'],
  ['gene_chromosome', 'gene_start', 'gene_end'],
] as const

const NAME = /^((?:[^.]+\.)*)region$/

type Resolve = (name: string) => FieldPath | undefined

/** Finds fields, and `region` beside the fields of a place (data-commons.md 11.41). */
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

/** Positions with commas, as browsers of genomes write them. */
const COMMAS = /(?<=\d),(?=\d{3}(?!\d))/g
const MAX_LENGTH = 100

/**
 * A region as filters hold it: without commas, and with both positions unless it reaches to the end.
 * @example regionValue('chr17:7,661,779-7,687,550', 'value') // 'chr17:7661779-7687550'
 * @throws EngineError bad_region, bad_input naming the place
 */
export function regionValue(text: unknown, at: string): string {
  if (typeof text !== 'string') {
    throw badInput(`${at} must be the text of a region, such as chr17:7,661,779-7,687,550`, at)
  }
  const bare = text.length > MAX_LENGTH ? text : text.trim().replace(COMMAS, '')
  const { reference, start, end } = parseInterval(bare, at)
  return `${reference}:${start + 1}-${Number.isFinite(end) ? end : ''}`
}

/**
 * The condition that a text asks of records with a place if it is a region with positions; `undefined`
 * for all other texts and records.
 */
export function regionLeaf(text: string, resolve: Resolve): Leaf | undefined {
  const field = /^\s*[a-z0-9]+:[\d-]/i.test(text) ? regionField('region', resolve) : undefined
  if (!field) return undefined
  try {
    const values = [regionValue(text, 'query')]
    return { kind: 'leaf', op: 'in', field, values, ranges: [], chunks: 0, at: 'query' }
  } catch (error) {
    // Any text may be searched for.
    if (error instanceof EngineError) return undefined
    throw error
  }
}

/** For each region of a condition those on chromosome and positions that hold where a place overlaps it. */
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
      // Also a region that reaches to the end: what has no start has no place.
      at('<=', start, [last === '' ? Number.MAX_VALUE : Number(last)]),
      at('>=', end, [Number(first)]),
    ]
  })
}

/**
 * The names under which a release may have the chromosome of a region.
 * @param region as `regionValue` makes it
 */
export function chromosomesOf(region: string): readonly string[] {
  return spellings(region.split(':', 1)[0] ?? '')
}

/** As the release may write a chromosome (data-commons.md 11.3), folded as keywords are. */
function spellings(reference: string): readonly string[] {
  const bare = reference.replace(/^chr/i, '').toUpperCase()
  return chromosomeSpellings(bare).map((name) => name.toLowerCase())
}
