import { isDeepStrictEqual } from 'node:util'
import { nameUuid } from '../../shared/catalogue/uuid.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import { DocumentValidator } from './document-validator.ts'
import type { EntityIssue } from './entity-issue.ts'
import type { StoredReference } from './graph.ts'
import { literal } from './literal.ts'
import { referenceKey } from './reference-types.ts'
import { columnOf, type EntityDocument, type Submitted } from './submitted.ts'

/** A reference in a body, with its position. */
interface GivenReference {
  readonly place: string
  readonly type: string
  readonly name: string
  /** Id in lower case, if given. */
  readonly id: string | undefined
  readonly properties: EntityDocument
}

/**
 * Reads references from documents and validates them.
 * @throws EngineError `bad_input` naming the first problem and the number of further ones
 */
export function readReferences(
  submitted: readonly Submitted[],
  dictionary: Dictionary,
): readonly GivenReference[] {
  const validator = new DocumentValidator(dictionary)
  const given: GivenReference[] = []
  const issues: string[] = []
  const seen = new Set<string>()
  for (const [i, one] of submitted.entries()) {
    const line = 'document' in one ? one.line : undefined
    const place = line === undefined ? `element ${i + 1}` : `line ${line}`
    const document = 'document' in one ? one.document : {}
    const read = readReference(document, validator, dictionary)
    if ('message' in read) {
      const column = columnOf(one, read.keys)
      issues.push(`${place}${column === undefined ? '' : `, column ${column}`}: ${read.message}`)
      continue
    }
    const keys = [`${read.type} ${read.name}`, ...(read.id === undefined ? [] : [read.id])]
    if (keys.some((key) => seen.has(key))) issues.push(`${place}: ${read.name} is given twice`)
    for (const key of keys) seen.add(key)
    given.push({ ...read, place })
  }
  if (given.length === 0 && issues.length === 0) issues.push('there is nothing to register')
  throwAny(issues)
  return given
}

function readReference(
  document: EntityDocument,
  validator: DocumentValidator,
  dictionary: Dictionary,
): Omit<GivenReference, 'place'> | Pick<EntityIssue, 'keys' | 'message'> {
  const type = dictionary.types.get(String(document.type))
  const key = type && referenceKey(type)
  if (!type || key === undefined) {
    const known = [...dictionary.types.values()].filter((one) => referenceKey(one) !== undefined)
    const names = known.map(({ name }) => name).join(', ')
    return { keys: ['type'], message: `type ${literal(document.type)} is not one of ${names}` }
  }
  const [error] = validator.validate(document, type).errors
  if (error) return error
  const { [key]: name, id, type: _, ...others } = document
  if (typeof name !== 'string' || name === '') return { keys: [key], message: `${key} is missing` }
  const set = Object.entries({ ...others, [key]: name }).filter(([, value]) => value !== null)
  const properties = Object.fromEntries(set)
  return {
    type: type.name,
    name,
    properties,
    id: typeof id === 'string' ? id.toLowerCase() : undefined,
  }
}

interface PlacedReference {
  readonly reference: StoredReference
  readonly fate: 'created' | 'updated' | 'unchanged'
}

/**
 * Matches given references with stored ones. An id and a name always stay together.
 * @throws EngineError `bad_input` naming the first problem and the number of further ones
 */
export function placeReferences(
  given: readonly GivenReference[],
  stored: readonly StoredReference[],
): readonly PlacedReference[] {
  const byId = new Map(stored.map((one) => [one.id, one]))
  const byName = new Map(stored.map((one) => [`${one.type} ${one.name}`, one]))
  const issues: string[] = []
  const placed = given.map(({ place, type, name, id, properties }): PlacedReference => {
    const named = byName.get(`${type} ${name}`)
    const known = named ?? (id === undefined ? undefined : byId.get(id))
    if (known && (known !== named || (id !== undefined && id !== known.id))) {
      issues.push(`${place}: ${known.type} ${known.name} has the id ${known.id}; keep both`)
    }
    const reference = {
      type,
      name,
      properties,
      id: known?.id ?? id ?? nameUuid('reference', type, name),
    }
    if (!known) return { reference, fate: 'created' }
    const isSame = isDeepStrictEqual(known.properties, properties)
    return { reference, fate: isSame ? 'unchanged' : 'updated' }
  })
  throwAny(issues)
  return placed
}

function throwAny([first, ...others]: readonly string[]): void {
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  throw new EngineError('bad_input', `${first}${more}`)
}
