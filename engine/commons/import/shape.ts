import { isObject, type Json, type JsonObject } from '../../shared/input/json-value.ts'
import type { Dataset, FieldTree, FieldType } from '../datasets/define.ts'
import { canonicalPath } from '../datasets/resolve.ts'
import { withoutVersion } from './cells.ts'
import type { ColumnTally } from './column-tally.ts'
import { ColumnReader, number } from './columns.ts'
import { RowError } from './row-error.ts'

/** What a record, or a group in it, may hold: the fields of a dataset made ready for walking. */
export interface Shape {
  /** Path of the group; '' is the record. */
  readonly path: string
  readonly members: ReadonlyMap<string, Member>
}

export interface Member {
  /** In the names of this project. */
  readonly name: string
  readonly type?: FieldType
  readonly shape?: Shape
  /** An array of objects, each an element of its own (data-commons.md 1.3). */
  readonly isNested: boolean
}

/** The shape of a dataset's records as clients see them, mounted parts included. */
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
    members.set(name, {
      name,
      isNested: dataset.nested.includes(full),
      ...(groups.length > 0 ? { shape: groupShape(dataset, full, groups) } : {}),
      ...(groups.length === 0 && type ? { type } : {}),
    })
  }
  return { path, members }
}

/** What is noted while records are tidied. */
export interface Tidying {
  /** Called with the full path of a member that no shape has. */
  readonly noteUnknown: (path: string) => void
  readonly tallyOf: (path: string) => ColumnTally
}

/**
 * Brings a record into the form that releases store: names of this project at every depth, arrays
 * where elements are expected. Unknown members stay and are counted.
 * @throws RowError when a member is of another make than its field: a group that is a number, a
 *   field that is an object
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
    } else if (member.name === 'gene_id' && typeof value === 'string') {
      record.gene_id = withoutVersion(value)
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

/** A field of numbers holds no texts: those that are numbers become such, and others are left out. */
function numbersIn(value: Json, tallyOf: () => ColumnTally): Json {
  if (Array.isArray(value)) return value.map((each) => numbersIn(each, tallyOf))
  if (typeof value === 'number' || value === null) return value
  return new ColumnReader(NUMBERS, tallyOf()).read(String(value)) ?? null
}

const NUMBERS = number('')

/** A single value, or a list of single values. */
function isField(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)
}

function noteUnknown(shape: Shape, key: string, record: JsonObject, tidying: Tidying): void {
  // An object's prototype is not data.
  if (key === '__proto__') delete record[key]
  // Every record may bear its id under this name besides the typed one (data-commons-service.md 2.1).
  if (key === 'id' && shape.path === '') return
  tidying.noteUnknown(pathOf(shape, key))
}

const pathOf = ({ path }: Shape, key: string) => (path === '' ? key : `${path}.${key}`)
