import { doubtOf } from '../../shared/input/doubtful-text.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import type { Property } from '../dictionary/property.ts'
import type { EntityIssue } from './entity-issue.ts'
import { literal, literals, shortened } from './literal.ts'
import { Suggestions } from './similar-name.ts'
import type { EntityDocument } from './submitted.ts'
import { valueIssues } from './validate-value.ts'

interface Validation {
  readonly errors: readonly EntityIssue[]
  /** Issues that do not make the document invalid. */
  readonly warnings: readonly EntityIssue[]
}

/** Validates the documents of a transaction against the dictionary. Makes all checks that need no stored entities. */
export class DocumentValidator {
  readonly #types: Dictionary['types']
  readonly #suggestions = new Suggestions()

  constructor({ types }: Pick<Dictionary, 'types'>) {
    this.#types = types
  }

  /** Returns the type that a document names, or issues if no such entity can be uploaded (submission.md 7.4). */
  typeOf(document: EntityDocument): EntityType | readonly EntityIssue[] {
    const given = Object.hasOwn(document, 'type') ? document.type : undefined
    if (given === undefined || given === null) return NO_TYPE
    const name = typeof given === 'string' ? given : literal(given)
    const type = this.#types.get(name)
    if (!type) return this.#unknownType(shortened(name))
    // Types that belong to no project, such as center, cannot be uploaded to a project.
    if (type.properties.has('project_id')) return type
    // "can be upload" is the text of the public service.
    const message = `${name} is not an entity that can be upload via the project endpoint.`
    return [{ keys: ['id'], message, type: 'INVALID_TYPE' }]
  }

  /** Returns two issues, as the public service reports an unknown type twice: with a suggestion and without. */
  #unknownType(name: string): readonly EntityIssue[] {
    const similar = this.#suggestions.of(name, 'types', this.#types.keys())
    const unknown = `specified type: ${name} is not in the current data model`
    return [
      {
        keys: ['type'],
        message: `Invalid entity type: ${name}.${similar}`,
        type: 'INVALID_TYPE',
      },
      { keys: ['type'], message: unknown, type: 'ERROR' },
    ]
  }

  /**
   * Validates a document against its type (submission.md 7.6 and 7.7): unknown keys, required properties and
   * all values. Existence and number of parents are checked later.
   * @param isPartial whether required properties may be missing, as in a PATCH
   */
  validate(
    document: EntityDocument,
    type: EntityType,
    { isPartial = false }: { readonly isPartial?: boolean } = {},
  ): Validation {
    const errors = this.#unknownKeys(document, type)
    if (!isPartial) errors.push(...missingKeys(document, type))
    const warnings: EntityIssue[] = []
    for (const key of Object.keys(document)) {
      const property = type.properties.get(key)
      const value = document[key]
      if (!property || isAbsentLink(key, value, type)) continue
      // `isKind` marks a wrong JSON type. Other issues, such as a number out of range, have the type ERROR.
      for (const { place, message, isKind } of valueIssues(value, property)) {
        errors.push({ keys: [key + place], message, type: isKind ? 'INVALID_VALUE' : 'ERROR' })
      }
      const { isDeprecated, deprecatedValues } = property
      if (isDeprecated || deprecatedValues) warnings.push(...oldValues(key, value, property))
      warnings.push(...doubtfulTexts(key, value, property))
    }
    return { errors, warnings }
  }

  /** Returns an issue for each unknown key, and one issue for all of them, as the public service does. */
  #unknownKeys(document: EntityDocument, type: EntityType): EntityIssue[] {
    const { name, properties } = type
    const unknown = Object.keys(document).filter((key) => !properties.has(key))
    if (unknown.length === 0) return []
    const names = `${literals(unknown.toSorted())} ${unknown.length === 1 ? 'was' : 'were'}`
    const additional = `Additional properties are not allowed (${names} unexpected)`
    return [
      ...unknown.map((key): EntityIssue => {
        const similar = this.#suggestions.of(key, name, properties.keys())
        const message = `Key '${shortened(key)}' is not a valid property for type '${name}'.${similar}`
        return { keys: [key], message, type: 'INVALID_PROPERTY' }
      }),
      { keys: [], message: additional, type: 'ERROR' },
    ]
  }
}

/** Issues for a document without a type. The public service reports both. */
const NO_TYPE: readonly EntityIssue[] = [
  { keys: ['type'], message: "missing 'type'", type: 'INVALID_TYPE' },
  { keys: ['type'], message: "'type' is a required property", type: 'MISSING_PROPERTY' },
]

function missingKeys(document: EntityDocument, type: EntityType): EntityIssue[] {
  const isMissing = (key: string) =>
    !Object.hasOwn(document, key) || isAbsentLink(key, document[key], type)
  return type.required.filter(isMissing).map((key) => ({
    keys: [key],
    message: `${literal(key)} is a required property`,
    type: 'MISSING_PROPERTY',
  }))
}

/** Returns whether a link is absent. A link without parents counts as absent (submission.md 7.8). */
function isAbsentLink(key: string, value: unknown, { links }: EntityType): boolean {
  return links.has(key) && (value === null || (Array.isArray(value) && value.length === 0))
}

/** The public service accepts this text without a warning, as a recorded response shows. */
const TAKEN_TEXT = 'null'

/** Returns a warning if a free-text property has a text that usually stands for a missing value in tables. */
function doubtfulTexts(key: string, value: unknown, { values, pattern }: Property): EntityIssue[] {
  if (typeof value !== 'string' || value === TAKEN_TEXT || values || pattern) return []
  const doubt = doubtOf(value)
  if (doubt === undefined) return []
  return [{ keys: [key], message: `${literal(value)} ${doubt}`, type: 'INVALID_VALUE' }]
}

/** Returns warnings for deprecated properties and values, which are still accepted. */
function oldValues(
  key: string,
  value: unknown,
  { isDeprecated, deprecatedValues }: Property,
): EntityIssue[] {
  const advice = 'is deprecated and should not be used any more.'
  const issues: EntityIssue[] = []
  if (isDeprecated) {
    const message = `Property '${key}' ${advice}`
    issues.push({ keys: [key], message, type: 'INVALID_PROPERTY' })
  }
  const given = new Set<unknown>(Array.isArray(value) ? value : [value])
  for (const old of deprecatedValues ?? []) {
    if (!given.has(old)) continue
    const message = `${literal(old)} ${advice}`
    issues.push({ keys: [key], message, type: 'INVALID_VALUE' })
  }
  return issues
}
