import { KINDS, type Kind, type Property } from './property.ts'
import type { YamlReader } from './yaml-reader.ts'

/** JSON Schema keywords that are supported: those that constrain a value, and those that only describe it. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'pattern', 'format', 'minimum', 'maximum', 'items', 'properties'],
  ...['additionalProperties', 'oneOf', 'anyOf', 'default', 'deprecated', 'deprecated_enum'],
  ...['description', 'title', 'term', 'termDef', 'enumDef', 'systemAlias'],
])

/**
 * Reads the JSON schema of a property and reports unknown keywords. Objects may have other members, because a
 * document's link may contain more than the keys of the parent (submission.md 7.8).
 */
export function readProperty(schema: YamlReader): Property {
  schema.onlyMembers(KEYWORDS)
  const given = (name: string) => schema.has(name)
  const isExclusive = given('oneOf')
  if (isExclusive && given('anyOf')) schema.report('has oneOf and anyOf; use one of them')
  return {
    ...(given('type') && { kinds: readKinds(schema.member('type')) }),
    ...(given('enum') && { values: readValues(schema.member('enum')) }),
    ...(given('pattern') && readPattern(schema.member('pattern'))),
    ...(given('format') && readFormat(schema.member('format'))),
    ...(given('minimum') && { minimum: schema.member('minimum').number() }),
    ...(given('maximum') && { maximum: schema.member('maximum').number() }),
    ...(given('items') && { items: readProperty(schema.member('items')) }),
    ...(given('properties') && { members: readMembers(schema.member('properties')) }),
    ...(isExclusive && { alternatives: readAll(schema.member('oneOf')), isExclusive }),
    ...(given('anyOf') && { alternatives: readAll(schema.member('anyOf')) }),
    ...(given('default') && { default: schema.member('default').value }),
    ...(given('deprecated') && schema.member('deprecated').flag() && { isDeprecated: true }),
    ...(given('deprecated_enum') && {
      deprecatedValues: readValues(schema.member('deprecated_enum')),
    }),
  }
}

function readMembers(schema: YamlReader): ReadonlyMap<string, Property> {
  return new Map(schema.members().map(([name, member]) => [name, readProperty(member)]))
}

function readAll(list: YamlReader): readonly Property[] {
  const items = list.items()
  if (items.length === 0) list.report('is empty; give at least one schema')
  return items.map(readProperty)
}

function readKinds(type: YamlReader): ReadonlySet<Kind> {
  const kinds = Array.isArray(type.value) ? type.items() : [type]
  return new Set(kinds.flatMap((kind) => kind.word(KINDS) ?? []))
}

/** Reads the accepted values, which must be scalars because they are compared by identity. */
function readValues(list: YamlReader): ReadonlySet<unknown> {
  const items = list.items()
  for (const item of items) {
    if (typeof item.value === 'object' && item.value !== null) {
      item.report('is no single value; use a text, a number, true, false or null')
    }
  }
  const values = new Set(items.map(({ value }) => value))
  if (values.size === 0) list.report('is empty; give at least one value')
  if (values.size < items.length) list.report('has a value several times')
  return values
}

function readPattern(pattern: YamlReader): Pick<Property, 'pattern'> {
  const text = pattern.text()
  try {
    // Python, for which dictionaries are written, reads `{,2}` as `{0,2}`; JavaScript as literal text.
    return { pattern: { text, expression: new RegExp(text.replace(/\{,(\d+)\}/g, '{0,$1}')) } }
  } catch {
    pattern.report('is no regular expression')
    return {}
  }
}

function readFormat(format: YamlReader): Pick<Property, 'isDateTime'> {
  return format.word(['date-time']) === undefined ? {} : { isDateTime: true }
}
