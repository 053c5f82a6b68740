import { isObject } from '../../shared/input/json-value.ts'

/** Matches what follows the name of each member. Texts with quotes and colons in them may have more of it. */
const NAME_END = /"\s*:/g

/** Matches texts, with a colon behind those that are names, and what begins and ends objects and lists. */
const TOKEN = /"((?:[^"\\]|\\.)*)"(\s*:)?|[{}[\]]/g

/**
 * Returns the name of a member that an object in a JSON text has twice, of which `JSON.parse` keeps the last one
 * only. Undefined if there is none.
 * @param text valid JSON
 * @param value the same, parsed
 */
export function repeatedMember(text: string, value: unknown): string | undefined {
  let ends = 0
  NAME_END.lastIndex = 0
  while (NAME_END.test(text)) ends++
  return ends > membersIn(value) ? firstRepeated(text) : undefined
}

/** Returns the number of members of all objects in a value. */
function membersIn(value: unknown): number {
  let members = 0
  if (Array.isArray(value)) for (const each of value) members += membersIn(each)
  else if (isObject(value)) {
    for (const name in value) members += 1 + membersIn(value[name])
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
