import { isObject } from '../../shared/input/json-value.ts'
import { RowError } from './row-error.ts'

/** Maximum number of objects and lists around a value. Thousands overflow the stack of whatever reads them. */
const MAX_LEVELS = 100

/** Matches what follows the name of each member. Texts with quotes and colons in them may have more of it. */
const NAME_END = /"\s*:/g

/** Matches texts, with a colon behind those that are names, and what begins and ends objects and lists. */
const TOKEN = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}[\]]/g

/**
 * Returns the name of a member that an object in a JSON text has twice, of which `JSON.parse` keeps the last one
 * only. Undefined if there is none.
 * @param text valid JSON
 * @param value the same, parsed
 * @throws RowError if it is nested too deeply
 */
export function repeatedMember(text: string, value: unknown): string | undefined {
  let ends = 0
  NAME_END.lastIndex = 0
  while (NAME_END.test(text)) ends++
  return ends > membersIn(value) ? firstRepeated(text) : undefined
}

/** Returns the number of members of all objects in a value. */
function membersIn(value: unknown, level = 0): number {
  if (level > MAX_LEVELS) {
    throw new RowError(`the record is nested in more than ${MAX_LEVELS} levels`)
  }
  let members = 0
  if (Array.isArray(value)) for (const each of value) members += membersIn(each, level + 1)
  else if (isObject(value)) {
    for (const name in value) members += 1 + membersIn(value[name], level + 1)
  }
  return members
}

function firstRepeated(text: string): string | undefined {
  const open: Set<string>[] = []
  for (const [token, name, colon] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (colon !== undefined) {
      const names = open.at(-1)
      const decoded = String(JSON.parse(`"${name}"`))
      if (names?.has(decoded)) return decoded
      names?.add(decoded)
    }
  }
  return undefined
}
