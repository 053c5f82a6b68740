import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import { isObject } from '../../engine/shared/internal.ts'
import { RELEASE } from './search-parameters.ts'

/** Maximum number of ids, including empty ones, and maximum number of files in an archive. */
const MAX_IDS = 10_000
/** Maximum length of an id, longer than any URL path. A longer id is an error; a shorter unknown id gives 404. */
const MAX_ID_LENGTH = 1 << 16

/**
 * Ids as one comma-separated text, as a repeated parameter or as nested arrays: a real client sends
 * `{"ids":[["a","b"]]}` (data-commons.md 5.1).
 */
const ids = z
  .unknown()
  // Bodies contain no nulls (see parameter-forms.ts), and the API document must not show any.
  .refine((given) => given !== null)
  .optional()
  .transform(readIds)
  .openapi({
    description: 'Ids separated by commas, or an array of ids, which may be nested.',
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    param: { name: 'ids', in: 'query' },
  })

/** Defines a flag. It is on if it is present, even if empty, and off only for the word `false`. */
const presence = (name: string, description: string) =>
  z
    .unknown()
    .refine((given) => given !== null)
    .optional()
    .transform(isOn)
    .openapi({
      description: `${description} On if it is present, with or without a value; off if it is \`false\`.`,
      type: 'string',
      param: { name, in: 'query', allowEmptyValue: true },
    })

const flags = {
  tarfile: presence('tarfile', 'Sends an uncompressed tar, even for a single file.'),
  compress: presence('compress', 'Sends a tar.gz, even for a single file.'),
  related_files: presence(
    'related_files',
    'Sends an archive that includes index and metadata files.',
  ),
  annotations: presence('annotations', 'Sends an archive with `annotations.txt` beside each file.'),
}

export const downloadOfPathParameters = z.object(flags)
export const downloadParameters = z.object({ ids, ...flags })
export const idsParameter = z.object({ ids })
export const manifestOfPathParameters = z.object({ release: RELEASE })
export const manifestParameters = idsParameter.extend({ release: RELEASE })

/**
 * Splits ids at commas and drops empty ones.
 * @example splitIds('a, b,') // ['a', ' b']
 */
export function splitIds(text: string): string[] {
  const found: string[] = []
  addIds(text, found)
  return found
}

function readIds(given: unknown): readonly string[] {
  const found: string[] = []
  // The JSON parser has limited the nesting.
  const add = (value: unknown) => {
    if (typeof value === 'string') addIds(value, found)
    else if (Array.isArray(value)) for (const one of value) add(one)
    else throw new EngineError('bad_input', 'ids are to be text, or arrays of text', { at: 'ids' })
  }
  // R's jsonlite writes a missing value as `{}`.
  const isAbsent = given === undefined || (isObject(given) && Object.keys(given).length === 0)
  if (!isAbsent) add(given)
  return found
}

/** Adds comma-separated ids. Not `split()`, which creates millions of texts for a body of commas. */
function addIds(text: string, found: string[]): void {
  let places = found.length
  for (let start = 0; start < text.length; ) {
    const comma = text.indexOf(',', start)
    const end = comma === -1 ? text.length : comma
    places += 1
    if (places > MAX_IDS) {
      const message = `more than ${MAX_IDS} ids are given; request at most ${MAX_IDS} at a time`
      throw new EngineError('too_many', message, { at: 'ids' })
    }
    if (end - start > MAX_ID_LENGTH) {
      const message = `an id has ${end - start} characters; the limit is ${MAX_ID_LENGTH}`
      throw new EngineError('too_many', message, { at: 'ids' })
    }
    if (end > start) found.push(text.slice(start, end))
    start = end + 1
  }
}

function isOn(given: unknown): boolean {
  if (given === undefined) return false
  return [given].flat().some((value) => String(value).trim().toLowerCase() !== 'false')
}
