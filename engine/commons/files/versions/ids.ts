import { EngineError } from '../../../shared/errors.ts'

/** Ids of one request, repeated ones too. Clients ask for 500 at a time (data-commons.md 4.1). */
const MAX_IDS = 5000

/** @throws EngineError too_many for one id more */
export function checkIdCount(count: number): void {
  if (count <= MAX_IDS) return
  const message = `more than ${MAX_IDS} ids are given; ask for at most ${MAX_IDS} at a time`
  throw new EngineError('too_many', message, { at: 'ids' })
}

/**
 * The ids of a request: an array of texts, or of such arrays. Each is taken once, in the order in
 * which they come, in lower case.
 * @throws EngineError bad_input naming the place; when there is none at all; too_many
 */
export function readIds(given: unknown): readonly string[] {
  if (!Array.isArray(given)) {
    throw new EngineError('bad_input', 'ids is no list; give an array of file ids', { at: 'ids' })
  }
  const found = new Set<string>()
  let count = 0
  // Not recursive, since the depth is the client's; places are only computed when they are needed.
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

/** @example noText([1, 0]) // of `ids[1][0]` */
function noText(places: readonly number[]): EngineError {
  const at = `ids${places.map((place) => `[${place}]`).join('')}`
  return new EngineError('bad_input', `${at} is no text; give the id of a file`, { at })
}
