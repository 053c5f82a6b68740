import type { ColumnTally } from '../../shared/input/column-tally.ts'
import { isObject, type Json, type JsonObject } from '../../shared/input/json-value.ts'
import type { Dataset, FieldTree, FieldType } from '../datasets/define.ts'
import { canonicalPath } from '../datasets/resolve.ts'
import { twoDigits, withoutVersion } from './cells.ts'
import { ColumnReader, number } from './columns.ts'
import { RowError } from './row-error.ts'

/** The fields of a record, or of a group within it, as a tree of maps. */
export interface Shape {
  /** Path of the group, or '' for the record. */
  readonly path: string
  readonly members: ReadonlyMap<string, Member>
}

interface Member {
  /** Canonical name of the field. */
  readonly name: string
  readonly type?: FieldType
  readonly shape?: Shape
  /** Whether it is an array of objects that are matched individually (data-commons.md 1.3). */
  readonly isNested: boolean
  /** Returns the usual form of a text. */
  readonly form?: (text: string) => string
}

/** Forms of texts that programs change, keyed by field or by the end of its path. */
const FORMS: Readonly<Record<string, (text: string) => string>> = {
  gene_id: withoutVersion,
  sample_type_id: twoDigits,
  oct_embedded: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() : text),
  'tissue_source_site.code': twoDigits,
}

const formOf = (path: string) =>
  FORMS[path.slice(path.lastIndexOf('.') + 1)] ?? FORMS[path.split('.').slice(-2).join('.')]

/** Returns the shape of a dataset's records as clients see them, including mounted datasets. */
export function shapeOf(dataset: Dataset): Shape {
  return groupShape(dataset, '', [dataset.fields, dataset.hidden])
}

function groupShape(dataset: Dataset, path: string, trees: readonly FieldTree[]): Shape {
  const members = new Map<string, Member>()
  for (const name of new Set(trees.flatMap((tree) => Object.keys(tree)))) {
    const full = path === '' ? name : `${path}.${name}`
    const nodes = trees.flatMap((tree) => (Object.hasOwn(tree, name) ? [tree[name]] : []))
    const groups = nodes.filter((node) => typeof node === 'object')
    const type = nodes.find((node) => typeof node === 'string')
    const form = formOf(full)
    members.set(name, {
      name,
      isNested: dataset.nested.includes(full),
      ...(groups.length > 0 ? { shape: groupShape(dataset, full, groups) } : {}),
      ...(groups.length === 0 && type ? { type } : {}),
      ...(form ? { form } : {}),
    })
  }
  return { path, members }
}

/** Callbacks for what is found while tidying records. */
export interface Tidying {
  /** Called with the full path of an unknown member. */
  readonly noteUnknown: (path: string) => void
  readonly tallyOf: (path: string) => ColumnTally
}

/**
 * Normalises a record in place: canonical names at every depth, arrays for nested groups, numbers in numeric
 * fields. Unknown members are kept and reported.
 * @throws RowError if a group is not an object or list of objects, or a field is not a single value or list
 */
export function tidyRecord(record: JsonObject, shape: Shape, tidying: Tidying): JsonObject {
  for (const key of Object.keys(record)) {
    const value = record[key]
    let member = shape.members.get(key)
    if (!member) {
      member = shape.members.get(canonicalPath(key))
      if (!member) {
        noteUnknown(shape, key, record, tidying)
        continue
      }
      delete record[key]
      record[member.name] ??= value
    }
    if (value === null || value === undefined) continue
    if (member.shape) record[member.name] = tidyGroup(value, member, member.shape, tidying)
    else if (!isField(value)) throw new RowError(`${pathOf(shape, key)} is no single value or list`)
    else if (isNumeric(member.type)) {
      record[member.name] = numbersIn(value, () => tidying.tallyOf(pathOf(shape, member.name)))
    } else if (member.form && typeof value === 'string') {
      record[member.name] = member.form(value)
    }
  }
  return record
}

function tidyGroup(value: Json, { name, isNested }: Member, shape: Shape, tidying: Tidying): Json {
  if (Array.isArray(value)) {
    const elements: JsonObject[] = []
    for (const element of value) {
      if (element === null) continue
      if (!isObject(element)) throw new RowError(`${shape.path} is a list of other than objects`)
      elements.push(tidyRecord(element, shape, tidying))
    }
    return elements
  }
  if (!isObject(value)) throw new RowError(`${name} is neither an object nor a list of objects`)
  const tidy = tidyRecord(value, shape, tidying)
  return isNested ? [tidy] : tidy
}

const isNumeric = (type: FieldType | undefined) =>
  type === 'long' || type === 'double' || type === 'float'

/** Converts texts in a numeric field to numbers, or to null if they are not numeric. */
function numbersIn(value: Json, tallyOf: () => ColumnTally): Json {
  if (Array.isArray(value)) return value.map((each) => numbersIn(each, tallyOf))
  if (typeof value === 'number' || value === null) return value
  return new ColumnReader(NUMBERS, tallyOf()).read(String(value)) ?? null
}

const NUMBERS = number('')

/** Returns whether a value is a single value or a list of single values. */
function isField(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)
}

function noteUnknown(shape: Shape, key: string, record: JsonObject, tidying: Tidying): void {
  // Prevents a change of the prototype by a copy.
  if (key === '__proto__') delete record[key]
  // Any record may have its id under this name in addition to its id field (data-commons-service.md 2.1).
  if (key === 'id' && shape.path === '') return
  tidying.noteUnknown(pathOf(shape, key))
}

const pathOf = ({ path }: Shape, key: string) => (path === '' ? key : `${path}.${key}`)
