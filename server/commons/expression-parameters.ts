import { z } from '@hono/zod-openapi'
import { UNITS } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { searchParameters } from './search-parameters.ts'

/** Description of a parameter for the API document. */
interface Shape {
  readonly description: string
  readonly [member: string]: unknown
}

/** Defines a parameter that only these endpoints have. Empty text counts as missing (data-commons.md 9 rule 13). */
function own<Value>(read: (given: unknown) => Value, shape: Shape) {
  return z
    .unknown()
    .optional()
    .transform((given) => read(given === null || given === '' ? undefined : given))
    .openapi(shape)
}

function refused(name: string, wanted: string): EngineError {
  return new EngineError('bad_input', `parameter ${name} is not accepted; use ${wanted}`, {
    at: name,
  })
}

/** Maximum number of ids, more than any release has cases or genes. */
const MAX_IDS = 100_000

/** The ids are parsed by hand, because a schema is slow for so many. */
const ids = (name: string, description: string) =>
  own((given) => readIds(given, name), { description, type: 'array', items: { type: 'string' } })

function readIds(given: unknown, name: string): readonly string[] | undefined {
  if (given === undefined) return undefined
  const texts: readonly unknown[] =
    typeof given === 'string' ? given.split(',', MAX_IDS + 1) : asArray(given)
  if (texts.length > MAX_IDS) {
    const message = `parameter ${name} has more ids than the limit of ${MAX_IDS}`
    throw new EngineError('too_many', message, { at: name })
  }
  if (texts.every((text) => typeof text === 'string')) return texts
  throw refused(name, 'an array of ids')
}

const asArray = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given])

function setId(name: string, of: string) {
  const read = (given: unknown) => {
    if (given === undefined || typeof given === 'string') return given
    throw refused(name, 'the id of a set')
  }
  return own(read, {
    description: `Id of a set of ${of}, with \`set_id:\` or without.`,
    type: 'string',
  })
}

const cohortId = own((given) => (given === undefined ? undefined : 'cohort_id'), {
  description: 'Refused with status 400: give the filters of the cohort as `case_filters`.',
  type: 'string',
  deprecated: true,
})

const sources = {
  case_ids: ids('case_ids', 'Ids of cases, in any letter case.'),
  case_filters: searchParameters.shape.case_filters,
  case_set_id: setId('case_set_id', 'cases'),
  cohort_id: cohortId,
  gene_ids: ids('gene_ids', 'Ids of genes, exactly as they are loaded.'),
  gene_set_id: setId('gene_set_id', 'genes'),
}

/** Defines a parameter with a few accepted words. `undefined` if it is missing. */
function oneOf<Word extends string>(name: string, words: readonly Word[], shape: Shape) {
  return own(
    (given) => {
      const text = typeof given === 'string' ? given.trim().toLowerCase() : given
      const found = words.find((word) => word === text)
      if (found !== undefined || given === undefined) return found
      throw refused(name, words.join(' or '))
    },
    { ...shape, type: 'string', enum: [...words] },
  )
}

export const availabilityParameters = z.object(sources)

export const valuesParameters = z.object({
  ...sources,
  tsv_units: oneOf('tsv_units', UNITS, {
    description:
      'Required. `uqfpkm`: the stored values. `median_centered_log2_uqfpkm`: log2(value + 1), ' +
      'minus its median over the cases of the response.',
  }),
  format: oneOf('format', ['tsv', 'csv', 'arrow', 'parquet'], {
    description:
      'Format of the response. By default, TSV, or CSV, Arrow or Parquet if the `Accept` header ' +
      'prefers it.',
    default: 'tsv',
  }),
  attachment: searchParameters.shape.attachment,
  filename: searchParameters.shape.filename,
})

export const selectionParameters = z.object({
  ...sources,
  gene_type: oneOf('gene_type', ['protein_coding'], {
    description: 'Instead of `gene_ids`: all genes that have values.',
  }),
  selection_size: own((given) => readNumber(given, 'selection_size'), {
    description: 'Required. Maximum number of genes to select.',
    type: 'integer',
    minimum: 1,
  }),
  min_median_log2_uqfpkm: own((given) => readNumber(given, 'min_median_log2_uqfpkm') ?? 1, {
    description: 'Genes whose median of log2(value + 1) is lower are left out.',
    type: 'number',
    default: 1,
  }),
})

const tested = {
  ...sources,
  gene_ids: ids('gene_ids', 'Ids of genes. Absent: all that have values.'),
  format: oneOf('format', ['json', 'tsv', 'csv'], {
    description:
      'Format of the response. By default, JSON, or TSV or CSV if the `Accept` header prefers ' +
      'it.',
    default: 'json',
  }),
  attachment: searchParameters.shape.attachment,
  filename: searchParameters.shape.filename,
}

export const differentialParameters = z.object({
  ...tested,
  other_case_ids: ids(
    'other_case_ids',
    'Ids of the cases of the second group, in any letter case.',
  ),
  other_case_filters: own((given) => given, {
    description:
      'A filter on the cases of the second group, as JSON. Without it and `other_case_ids`, the ' +
      'group is all other cases.',
    type: 'object',
  }),
})

export const coexpressionParameters = z.object({
  ...tested,
  gene_id: own(readGene, { description: 'Required. The gene to compare with.', type: 'string' }),
})

export const setScoresParameters = z.object({
  ...tested,
  gene_ids: ids('gene_ids', 'Ids of the genes of the set. This or `gene_set_id` is required.'),
  method: oneOf('method', ['mean', 'z-score'], {
    description:
      'Mean of log2(value + 1) (`mean`), or of its z-scores over the requested cases (`z-score`).',
    default: 'mean',
  }),
})

function readGene(given: unknown): string | undefined {
  if (given === undefined || typeof given === 'string') return given
  throw refused('gene_id', 'the id of a gene')
}

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

/** Parses a number, which may be a text. */
function readNumber(given: unknown, name: string): number | undefined {
  if (given === undefined) return undefined
  const isText = typeof given === 'string' && given.length < 100 && NUMBER.test(given)
  const number = isText ? Number(given) : given
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw refused(name, 'a number')
}

/**
 * Returns the unit.
 * @throws EngineError `bad_input` if it is missing
 */
export function requiredUnit<Unit>(unit: Unit | undefined): Unit {
  if (unit !== undefined) return unit
  const message = `parameter tsv_units is missing; use ${UNITS.join(' or ')}`
  throw new EngineError('bad_input', message, { at: 'tsv_units' })
}

/**
 * Returns the gene id.
 * @throws EngineError `bad_input` if it is missing
 */
export function requiredGene(gene: string | undefined): string {
  if (gene !== undefined) return gene
  const message = 'parameter gene_id is missing; give the id of a gene'
  throw new EngineError('bad_input', message, { at: 'gene_id' })
}

/**
 * Returns the selection size.
 * @throws EngineError `bad_input` if it is missing or invalid
 */
export function requiredSize(size: number | undefined): number {
  if (size !== undefined && Number.isSafeInteger(size) && size >= 1) return size
  const given = size === undefined ? 'is missing' : 'is not accepted'
  const message = `parameter selection_size ${given}; use a whole number from 1`
  throw new EngineError('bad_input', message, { at: 'selection_size' })
}
