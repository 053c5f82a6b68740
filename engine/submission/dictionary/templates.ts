import type { Dictionary } from './dictionary.ts'
import type { EntityType, Link } from './entity-type.ts'

export const TEMPLATE_FORMATS = ['csv', 'tsv', 'json'] as const
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number]

/** Marks required columns in a template, such as `*submitter_id` (submission.md 6). */
const STAR = '*'

/** Column of a submission template. It stands for one property. */
export interface TemplateColumn {
  readonly name: string
  readonly isRequired: boolean
  /** For a link, the properties that identify the parent. The column contains the first of them. */
  readonly keys?: readonly string[]
}

/**
 * Returns the columns of a type's template in groups: `type`, unique keys, links, required properties, optional
 * properties. Each group is sorted, and required columns have a star (submission.md 6). Properties that the
 * service sets are left out, except `project_id`.
 */
export function templateColumns(dictionary: Dictionary, type: EntityType): readonly string[] {
  return layoutOf(dictionary, type).map(columnName)
}

function columnName({ name, isRequired, keys }: TemplateColumn): string {
  return `${isRequired ? STAR : ''}${name}${keys ? `.${keys[0]}` : ''}`
}

/** Returns the columns of a type's template in order. */
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

/** Returns the unique keys of a link's target without `id` and `project_id`. If no key is left, returns only `id`. */
function keysOf(dictionary: Dictionary, { target }: Link): readonly string[] {
  const keys = dictionary.types.get(target)?.uniqueKeys.flat() ?? []
  const own = keys.filter((key) => key !== 'id' && key !== 'project_id')
  return own.length > 0 ? own : ['id']
}

/** Returns the submission template of a type. */
export function templateText(
  dictionary: Dictionary,
  type: EntityType,
  format: TemplateFormat,
): string {
  if (format === 'json') return indented(templateDocument(dictionary, type))
  const separator = format === 'csv' ? ',' : '\t'
  const columns = templateColumns(dictionary, type)
  const cells = columns.map((_, i) => (i === 0 ? type.name : ''))
  // CRLF as line break, like Python's csv module.
  return [columns, cells].map((line) => `${line.join(separator)}\r\n`).join('')
}

/** Returns the templates of several types as a JSON list. */
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

/** Formats JSON as Python does with an indent and the separators `, ` and `: ` (submission.md 6). */
function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(/,$/gm, ', ')
}

interface TemplateChoice {
  /** Categories of types to include. Empty includes all. */
  readonly categories: readonly string[]
  /** Names of types to leave out. */
  readonly exclude: readonly string[]
}

/** Returns the types that can be submitted to a project, which have templates (submission.md 6). */
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
