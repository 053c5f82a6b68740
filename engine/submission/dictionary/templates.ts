import type { Dictionary } from './dictionary.ts'
import type { EntityType, Link } from './entity-type.ts'

export const TEMPLATE_FORMATS = ['csv', 'tsv', 'json'] as const
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number]

/** What stands before a name that the schema requires. */
const STAR = '*'

/** A property that a document may hold, as tables have it. */
export interface TemplateColumn {
  readonly name: string
  readonly isRequired: boolean
  /** For a link: what the parent may be named by; the first is the column's. */
  readonly keys?: readonly string[]
}

/**
 * The columns of a type's template: `type`, unique keys, links, required properties, optional ones,
 * each group sorted; what the schema requires bears a star (submission.md 6). What the service sets
 * itself is left out, except `project_id`.
 */
export function templateColumns(dictionary: Dictionary, type: EntityType): readonly string[] {
  return layoutOf(dictionary, type).map(columnName)
}

function columnName({ name, isRequired, keys }: TemplateColumn): string {
  return `${isRequired ? STAR : ''}${name}${keys ? `.${keys[0]}` : ''}`
}

/** What the columns of a type's template are of, in their order. */
export function layoutOf(dictionary: Dictionary, type: EntityType): readonly TemplateColumn[] {
  const { properties, links, uniqueKeys, systemProperties } = type
  const required = new Set(type.required)
  const isShown = (name: string) =>
    name === 'project_id' || !(name === 'id' || name === 'type' || systemProperties.has(name))
  const unique = new Set(uniqueKeys.flat().filter(isShown))
  const others = [...properties.keys()].filter(
    (name) => isShown(name) && !unique.has(name) && !links.has(name),
  )
  const column = (name: string): TemplateColumn => ({ name, isRequired: required.has(name) })
  return [
    { name: 'type', isRequired: false },
    ...[...unique].sort().map(column),
    ...[...links.values()]
      .map((link) => ({ ...column(link.name), keys: keysOf(dictionary, link) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...others
      .filter((name) => required.has(name))
      .sort()
      .map(column),
    ...others
      .filter((name) => !required.has(name))
      .sort()
      .map(column),
  ]
}

/** What the parents of a link are named by, beside the id. */
function keysOf(dictionary: Dictionary, { target }: Link): readonly string[] {
  const keys = dictionary.types.get(target)?.uniqueKeys.flat() ?? []
  const own = keys.filter((key) => key !== 'id' && key !== 'project_id')
  return own.length > 0 ? own : ['id']
}

/** A type's template, ready to be filled in. */
export function templateText(
  dictionary: Dictionary,
  type: EntityType,
  format: TemplateFormat,
): string {
  if (format === 'json') return indented(templateDocument(dictionary, type))
  const separator = format === 'csv' ? ',' : '\t'
  const columns = templateColumns(dictionary, type)
  const cells = columns.map((_, i) => (i === 0 ? type.name : ''))
  // Line ends as Python's csv module writes them.
  return [columns, cells].map((line) => `${line.join(separator)}\r\n`).join('')
}

/** Templates of several types as one JSON list. */
export function templateList(dictionary: Dictionary, types: readonly EntityType[]): string {
  return indented(types.map((type) => templateDocument(dictionary, type)))
}

function templateDocument(dictionary: Dictionary, type: EntityType): unknown {
  return Object.fromEntries(
    layoutOf(dictionary, type).map(({ name, isRequired, keys }, i) => [
      `${isRequired ? STAR : ''}${name}`,
      i === 0 ? type.name : keys ? Object.fromEntries(keys.map((key) => [key, null])) : null,
    ]),
  )
}

/** As Python writes it with an indent and the separators `, ` and `: ` (submission.md 6). */
function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(/,$/gm, ', ')
}

export interface TemplateChoice {
  /** Categories of types to include; none: all. */
  readonly categories: readonly string[]
  /** Types to leave out. */
  readonly exclude: readonly string[]
}

/** The types that can be uploaded to a project, which have templates in lists (submission.md 6). */
export function typesWithTemplates(
  dictionary: Dictionary,
  { categories, exclude }: TemplateChoice,
): readonly EntityType[] {
  const types = [...dictionary.types.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return types.filter(
    ({ name, category, properties }) =>
      properties.has('project_id') &&
      (categories.length === 0 || categories.includes(category)) &&
      !exclude.includes(name),
  )
}
