import { isObject, type Json, type JsonObject } from '../../shared/input/json-value.ts'
import type { Dataset, FieldTree, FieldType } from '../datasets/define.ts'
import { canonicalPath, typeOf } from '../datasets/resolve.ts'
import type { CellType } from './cells.ts'
import type { Column } from './columns.ts'
import { hasWholeNumbers } from './number-range.ts'

/** Position of a table column's value in a record. */
export interface CellPath {
  /** Member names and list indices. */
  readonly steps: readonly (string | number)[]
  readonly type: FieldType | undefined
}

/** Longest joined name in characters. The longest field has about 150. */
const MAX_JOINED = 256

/**
 * Parses a flattened column name such as `cases.0.samples.0.sample_id` (data-commons.md 3.5). Also accepts
 * `cases_0_samples_0_sample_id`, as some programs write it, and splits it according to the fields of the
 * dataset.
 */
export function flattenedPath(dataset: Dataset, column: string): CellPath {
  const steps = stepsOf(column.split('.'))
  const type = typeOf(dataset, canonicalPath(namesOf(steps)))
  if (type || !column.includes('_') || column.length > MAX_JOINED) return { steps, type }
  const cut = fieldsIn([dataset.fields, dataset.hidden], column.split('_'))
  if (!cut) return { steps, type }
  const cutSteps = stepsOf(cut)
  return { steps: cutSteps, type: typeOf(dataset, namesOf(cutSteps)) }
}

const stepsOf = (parts: readonly string[]) =>
  parts.map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : part))

const namesOf = (steps: readonly (string | number)[]) =>
  steps.filter((step) => typeof step === 'string').join('.')

/** Returns the path in a tree of fields whose names, joined by `_`, give these words. Undefined if there is none. */
function fieldsIn(
  trees: readonly FieldTree[],
  words: readonly string[],
): readonly string[] | undefined {
  for (let length = 1; length <= words.length; length++) {
    const name = words.slice(0, length).join('_')
    const nodes = trees.flatMap((tree) => (Object.hasOwn(tree, name) ? [tree[name]] : []))
    const rest = words.slice(length)
    if (rest.length === 0)
      return nodes.some((node) => typeof node === 'string') ? [name] : undefined
    const groups = nodes.filter((node) => typeof node === 'object')
    if (groups.length === 0) continue
    const place = /^\d{1,6}$/.test(rest[0] ?? '') ? rest.slice(0, 1) : []
    const below = fieldsIn(groups, rest.slice(place.length))
    if (below) return [name, ...place, ...below]
  }
  return undefined
}

/** Returns the position of a field in the first element of each list on its path. */
export function firstElementPath(dataset: Dataset, path: string): CellPath {
  const names = path.split('.')
  const steps = names.flatMap((name, i): readonly (string | number)[] =>
    i < names.length - 1 && dataset.nested.includes(names.slice(0, i + 1).join('.'))
      ? [name, 0]
      : [name],
  )
  return { steps, type: typeOf(dataset, canonicalPath(path)) }
}

/** Returns the column of a field, parsed according to the field's type. */
export const columnOf = (name: string, place: CellPath): Column<CellType, false> => ({
  names: [name],
  type: cellTypeOf(place),
  isList: false,
  ...(hasWholeNumbers(String(place.steps.at(-1)), place.type) ? { isWhole: true } : {}),
})

/**
 * Members that are booleans in JSON although the mapping says `keyword` (data-commons.md 1.4). The submission
 * dictionary also declares them as booleans.
 */
const TRUTHS: ReadonlySet<string> = new Set([
  'age_is_obfuscated',
  'diagnosis_is_primary_disease',
  'includes_spike_ins',
  'is_ffpe',
  'is_paired_end',
  'releasable',
  'released',
  'to_trim_adapter_sequence',
  ...['low_pass_wgs', 'targeted_sequencing', 'wgs', 'wxs'].flatMap((strategy) => [
    `no_matched_normal_${strategy}`,
    `selected_normal_${strategy}`,
  ]),
])

/** Returns the type to parse a field's text as. */
function cellTypeOf({ steps, type }: CellPath): CellType {
  const name = String(steps.at(-1))
  if (type === 'boolean' || TRUTHS.has(name)) return 'truth'
  if (type === 'keyword' && name.endsWith('_datetime')) return 'date'
  if (type === 'keyword' && name === 'submitter_id') return 'name'
  if (type === 'keyword' && name === 'md5sum') return 'md5'
  return type === 'long' || type === 'double' || type === 'float' ? 'number' : 'text'
}

/** Stores the value of a cell in a record. Creates the objects and lists on its path. */
export function putCell(record: JsonObject, { steps }: CellPath, value: Json): void {
  // Setting this member would replace the prototype of the object instead of adding a member.
  if (steps.includes('__proto__')) return
  let at: JsonObject | Json[] = record
  for (let i = 0; i < steps.length - 1; i++) {
    const step = steps[i] as string
    const container = at as JsonObject
    const known = container[step]
    if (typeof known === 'object' && known !== null) at = known as JsonObject | Json[]
    else {
      const made: JsonObject | Json[] = typeof steps[i + 1] === 'number' ? [] : {}
      container[step] = made
      at = made
    }
  }
  ;(at as JsonObject)[steps.at(-1) as string] = value
}

/** Removes gaps from lists, which arise if an element has no cell in a row. */
export function closeGaps(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) {
    return value.filter((each) => each !== undefined).map((each) => closeGaps(each) ?? null)
  }
  if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name]
      if (typeof member === 'object') value[name] = closeGaps(member)
    }
  }
  return value
}
