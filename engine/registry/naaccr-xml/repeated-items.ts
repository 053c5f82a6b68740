import { EngineError } from '../../shared/errors.ts'
import type { Definitions } from './dictionary.ts'

/** Maximum number of items to repeat. */
const MAX_REPEATED = 100

/**
 * Returns the ids of the items to repeat beside the results of each tumor.
 * @throws EngineError `bad_input` for an item that the file cannot contain, `too_many`
 */
export function repeatedItems(
  ids: readonly string[],
  definitions: Pick<Definitions, 'get'>,
): readonly string[] {
  const distinct = [...new Set(ids)]
  if (distinct.length > MAX_REPEATED) {
    const message = `${distinct.length} items are to be repeated; name at most ${MAX_REPEATED}`
    throw new EngineError('too_many', message, { at: 'items' })
  }
  const unknown = distinct.find((id) => !definitions.get(id))
  if (unknown === undefined) return distinct
  const message = `the dictionaries of the file have no item ${unknown.slice(0, 100)}; name items by their XML id, such as primarySite`
  throw new EngineError('bad_input', message, { at: 'items' })
}

/** Returns the values that a tumor or its patient has for the items. */
export function repeatedValues(
  ids: readonly string[],
  items: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = {}
  for (const id of ids) if (items[id] !== undefined) values[id] = items[id]
  return values
}
