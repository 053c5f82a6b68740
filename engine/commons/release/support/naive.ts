import type { FieldType } from '../../datasets/define.ts'
import type { Schema } from '../schema.ts'

/** Computes what columns should contain, by recursion over parsed documents. For tests only. */

type Members = Readonly<Record<string, unknown>>

interface NaiveElement {
  readonly parent: number
  readonly row: number
  readonly object: Members
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Everything at a path below an object, arrays opened. */
function below(object: Members, path: string): unknown[] {
  let found: unknown[] = [object]
  for (const name of path.split('.')) {
    found = found.flatMap((one) => (isObject(one) && Object.hasOwn(one, name) ? [one[name]] : []))
    while (found.some(Array.isArray)) found = found.flat()
  }
  return found
}

const relative = (path: string, level: string) => (level ? path.slice(level.length + 1) : path)

/** The elements of every level, in document order; of '' the records. */
export function naiveLevels(schema: Schema, documents: readonly Members[]) {
  const levels = new Map<string, readonly NaiveElement[]>()
  levels.set(
    '',
    documents.map((object, row) => ({ parent: row, row, object })),
  )
  for (const { path, parent } of schema.levels) {
    const above = levels.get(parent) ?? []
    levels.set(
      path,
      above.flatMap(({ object, row }, i) =>
        below(object, relative(path, parent))
          .filter(isObject)
          .map((one) => ({ parent: i, row, object: one })),
      ),
    )
  }
  return levels
}

/** The distinct values of a field, by element; folded, ascending. */
export function naiveValues(
  elements: readonly NaiveElement[],
  field: { readonly path: string; readonly level: string; readonly type: FieldType },
): (string | number)[][] {
  const path = relative(field.path, field.level)
  return elements.map(({ object }) => {
    const values = below(object, path).flatMap((value) => naiveValue(field.type, value))
    return [...new Set(values)].sort(ascending)
  })
}

export const ascending = (a: string | number, b: string | number) =>
  typeof a === 'number' && typeof b === 'number'
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

function naiveValue(type: FieldType, value: unknown): (string | number)[] {
  if (value === null || typeof value === 'object') return []
  if (type === 'long' || type === 'double' || type === 'float') {
    if (typeof value === 'boolean') return []
    // Only decimal notation counts as a number.
    const isDecimal = typeof value === 'number' || /^[\s\d.e+-]*\d[\s\d.e+-]*$/i.test(String(value))
    const number = isDecimal ? Number(value) : Number.NaN
    return Number.isFinite(number) ? [number + 0] : []
  }
  const text = type === 'exact' ? String(value) : String(value).toLowerCase()
  if (type === 'boolean') return text === 'true' || text === 'false' ? [text] : []
  return [text]
}
