import type { EntityType } from './entity-type.ts'
import { readLinks } from './read-links.ts'
import { readProperty } from './read-property.ts'
import type { YamlReader } from './yaml-reader.ts'

/** Keywords that the schema of a type may have (submission.md 5). */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['$schema', 'id', 'title', 'type', 'namespace', 'category', 'program', 'project'],
  ...['description', 'additionalProperties', 'submittable', 'downloadable'],
  ...['previous_version_downloadable', 'validators', 'systemProperties', 'links', 'required'],
  ...['uniqueKeys', 'deprecated', 'preferred', 'properties'],
])

/** Pattern for names of types and properties, which are used in paths, columns and query fields. */
const NAME = /^[a-z][a-z0-9_]{0,99}$/
const NO_NAME = 'is no name; use small letters, digits and underscores, a letter first'

/** Properties that every entity type must have. */
const NEEDED = ['id', 'type']

/**
 * Reads the JSON schema of an entity type and reports its problems. Whether the target types of its links
 * exist is not checked here.
 * @param name file name without its extension
 */
export function readType(name: string, schema: YamlReader): EntityType {
  schema.onlyMembers(KEYWORDS)
  const id = schema.member('id')
  if (id.text() !== name) id.report(`is not what the file is called; use ${name}`)
  if (!NAME.test(name)) id.report(NO_NAME)
  schema.member('type').word(['object'])
  const additional = schema.member('additionalProperties')
  if (additional.flag(true)) additional.report('must be false, as all properties are listed')

  const properties = new Map(
    schema
      .member('properties')
      .members()
      .map(([property, reader]) => {
        if (!NAME.test(property)) reader.report(NO_NAME)
        return [property, readProperty(reader)] as const
      }),
  )
  for (const needed of NEEDED) {
    if (!properties.has(needed)) schema.member('properties').report(`lacks ${needed}; add it`)
  }
  const namesIn = (list: YamlReader) => readNames(list, properties)
  const ifGiven = (list: string) => (schema.has(list) ? namesIn(schema.member(list)) : [])
  ifGiven('preferred')
  // Names in `deprecated` need not be properties any more.
  if (schema.has('deprecated')) schema.member('deprecated').texts()
  return Object.freeze({
    name,
    category: schema.member('category').text(),
    submittable: schema.member('submittable').flag(),
    properties,
    required: ifGiven('required'),
    ...readLinks(schema.member('links'), properties),
    uniqueKeys: schema.member('uniqueKeys').items().map(namesIn),
    systemProperties: new Set(ifGiven('systemProperties')),
    schema: schema.value as EntityType['schema'],
  })
}

/** Reads a list of property names of the type. */
function readNames(list: YamlReader, properties: ReadonlyMap<string, unknown>): readonly string[] {
  const names = list.texts()
  for (const name of names) {
    if (!properties.has(name)) list.report(`names ${name}; use names of properties of the type`)
  }
  return names
}
