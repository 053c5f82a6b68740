import { cases } from '../datasets/case.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { sourceOf } from '../query/source.ts'
import { walk } from '../query/walk.ts'
import type { Column, ReleaseArrays } from '../release/loaded.ts'

/** Visits all values of a field in some cases: index of the case in `rows`, code of the value. */
export function eachCode(
  field: FieldPath,
  rows: Uint32Array,
  arrays: ReleaseArrays,
  visit: (place: number, code: number, column: Column) => void,
): void {
  const source = sourceOf(field, arrays.rows(cases.name), arrays)
  if (!source.column) return
  const { column } = source
  let before = 0
  walk(source, rows, ({ rows: some, holders, values }) => {
    for (let i = 0; i < values.length; i++) {
      const holder = values.owners[i]!
      visit(before + holders.owners[holder]!, values.members[i]!, column)
    }
    before += some.length
  })
}
