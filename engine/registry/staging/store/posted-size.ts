import { EngineError } from '../../../shared/errors.ts'

/**
 * Most values and characters of texts in one edit, because it is stored in one turn of the event loop. The largest
 * published table has 30,000 values and 150,000 characters.
 */
const EDIT_LIMITS = { values: 60_000, characters: 1 << 20 } as const

/**
 * Checks the size of what an edit stores: a schema, a table, or a batch of them.
 * @throws EngineError `too_large`
 */
export function checkEditSize(body: unknown): void {
  const waiting = [body]
  let values = 0
  let characters = 0
  for (let at = 0; at < waiting.length; at++) {
    const value = waiting[at]
    values++
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) waiting.push(member)
    }
    if (values > EDIT_LIMITS.values) throw tooLarge(EDIT_LIMITS.values, 'values')
    if (characters > EDIT_LIMITS.characters) throw tooLarge(EDIT_LIMITS.characters, 'characters')
  }
}

function tooLarge(limit: number, what: string): EngineError {
  const message = `the edit has more than ${limit} ${what}; store fewer or smaller schemas and tables at a time, or a whole version with "casemill import staging"`
  return new EngineError('too_large', message)
}
