import { EngineError } from '../../shared/errors.ts'
import { duplicateKeys, readJson } from './read-json.ts'
import {
  type EntityDocument,
  kindOf,
  MAX_DOCUMENTS,
  MAX_VALUES,
  type Submitted,
} from './submitted.ts'
import { withoutStar } from './template-names.ts'

/**
 * Parses JSON with one object or an array of them (submission.md 7.3). Stars of templates are removed from keys.
 * A null in a filled template counts as absent, like a blank cell of a table.
 * @throws EngineError `bad_input`, `too_many`
 */
export function parseDocuments(text: string): readonly Submitted[] {
  const value = readJson(text, { elements: MAX_DOCUMENTS, values: MAX_VALUES })
  const kind = kindOf(value)
  if (kind !== 'object' && kind !== 'array') {
    throw new EngineError('bad_input', `JSON parsed from request is an invalid type: ${kind}`)
  }
  const elements = kind === 'array' ? (value as readonly unknown[]) : [value]
  return elements.map((element) => {
    const kind = kindOf(element)
    return kind === 'object' ? { document: plainKeys(element as EntityDocument) } : { unlike: kind }
  })
}

function plainKeys(document: EntityDocument): EntityDocument {
  if (!Object.keys(document).some((key) => key.startsWith('*'))) return document
  const plain = new Map<string, unknown>()
  const names = new Set<string>()
  for (const [key, value] of Object.entries(document)) {
    const name = withoutStar(key)
    if (names.has(name)) throw duplicateKeys([name])
    names.add(name)
    if (!isLeftEmpty(value)) plain.set(name, value)
  }
  return Object.fromEntries(plain)
}

/** Returns whether a value was left as in the template: null, or a link whose keys are all null. */
function isLeftEmpty(value: unknown): boolean {
  if (value === null) return true
  if (kindOf(value) !== 'object') return false
  const keys = Object.values(value as EntityDocument)
  return keys.length > 0 && keys.every((one) => one === null)
}
