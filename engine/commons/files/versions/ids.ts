import { EngineError } from '../../../shared/errors.ts'

/** Maximum number of ids per request, including duplicates. Clients send 500 at a time (data-commons.md 4.1). */
const MAX_IDS = 5000

/**
 * Checks the number of ids.
 * @throws EngineError too_many for more than MAX_IDS
 */
export function checkIdCount(count: number): void {
  if (count <= MAX_IDS) return
  const message = `more than ${MAX_IDS} ids are given; request at most ${MAX_IDS} at a time`
  throw new EngineError('too_many', message, { at: 'ids' })
}

/**
 * Reads the ids of a request, an array of strings and of arrays of strings. Returns them in lower case, in
 * order, without duplicates.
 * @throws EngineError bad_input with the place of the error, or if there are none; too_many
 */
export function readIds(given: unknown): readonly string[] {
  if (!Array.isArray(given)) {
    throw new EngineError('bad_input', 'ids is no list; give an array of file ids', { at: 'ids' })
  }
  const found = new Set<string>()
  let count = 0
  // Iterative, since the client controls the depth. Places are only computed for messages.
  const open: { readonly list: readonly unknown[]; next: number }[] = [{ list: given, next: 0 }]
  for (let top = open.at(-1); top; top = open.at(-1)) {
    if (top.next >= top.list.length) {
      open.pop()
      continue
    }
    const value = top.list[top.next++]
    if (typeof value === 'string') {
      checkIdCount(++count)
      const id = value.trim().toLowerCase()
      if (id !== '') found.add(id)
    } else if (Array.isArray(value)) open.push({ list: value, next: 0 })
    else throw noText(open.map(({ next }) => next - 1))
  }
  if (found.size > 0) return [...found]
  throw new EngineError('bad_input', 'no ids are given; name at least one file', { at: 'ids' })
}

/**
 * Creates the error for an id that is not a string.
 * @example noText([1, 0]) // for `ids[1][0]`
 */
function noText(places: readonly number[]): EngineError {
  const at = `ids${places.map((place) => `[${place}]`).join('')}`
  return new EngineError('bad_input', `${at} is no text; give the id of a file`, { at })
}
