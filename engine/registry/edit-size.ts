import { EngineError } from '../shared/errors.ts'

/** Maximum number of values and characters in one edit, which is stored in one turn of the event loop. */
interface EditLimits {
  readonly values: number
  readonly characters: number
}

/** Bounds schemas and tables. The largest published table has 30,000 values and 150,000 characters. */
export const STAGING_EDIT: EditLimits = Object.freeze({ values: 60_000, characters: 1 << 20 })

/** Bounds a drug, a glossary entry or a disease. */
export const RECORD_EDIT: EditLimits = Object.freeze({ values: 100_000, characters: 2 << 20 })

/**
 * Checks the size of what an edit stores: a record, a schema, a table, or several of these.
 * @throws EngineError `too_large` over a limit
 */
export function checkEditSize(body: unknown, limits: EditLimits): void {
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
    if (values > limits.values) throw tooLarge(limits.values, 'values')
    if (characters > limits.characters) throw tooLarge(limits.characters, 'characters')
  }
}

function tooLarge(limit: number, what: string): EngineError {
  const message = `the edit has more than ${limit} ${what}; store less at a time, or load files with "casemill import"`
  return new EngineError('too_large', message)
}
