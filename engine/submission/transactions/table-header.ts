import { EngineError } from '../../shared/errors.ts'
import type { TableRow } from './table-rows.ts'
import { withoutStar } from './template-names.ts'

/** Meaning of a column: a property, or a key of a parent. */
export interface Column {
  readonly property: string
  readonly parent?: {
    readonly key: string
    /** Columns of a link with the same number describe the same parent. */
    readonly number: string
  }
}

/**
 * Parses the header of a table (submission.md 8), such as `type`, `cases.submitter_id`,
 * `read_groups.submitter_id#2`. Stars of templates are removed. A column without a name is `undefined`.
 * @throws EngineError `bad_input` for repeated names, and for names that no property or link can have
 */
export function readHeader({ line, cells }: TableRow): readonly (Column | undefined)[] {
  const names = cells.map((cell) => withoutStar(cell).trim())
  const repeated = names.find((name, i) => name !== '' && names.indexOf(name) < i)
  if (repeated !== undefined) {
    const first = names.indexOf(repeated)
    const places = `columns ${first + 1} and ${names.indexOf(repeated, first + 1) + 1}`
    const message = `column ${repeated} occurs twice in line ${line}, as ${places}; keep one`
    throw new EngineError('bad_input', message)
  }
  const columns = names.map((name, i) => readColumn(name, `in column ${i + 1} of line ${line}`))
  for (const [i, column] of columns.entries()) {
    if (column?.parent && names.includes(column.property)) {
      const { property, parent } = column
      const places = `columns ${names.indexOf(property) + 1} and ${i + 1} of line ${line}`
      const message = `columns ${property} and ${property}.${parent.key} exclude each other (${places}); keep the second`
      throw new EngineError('bad_input', message)
    }
  }
  return columns
}

function readColumn(name: string, place: string): Column | undefined {
  if (name === '') return undefined
  const dot = name.indexOf('.')
  if (dot === -1) return { property: name }
  const [key = '', number = ''] = name.slice(dot + 1).split('#')
  if (dot === 0) throw new EngineError('bad_input', `Invalid link name: ${name} ${place}`)
  if (key === '') throw new EngineError('bad_input', `Invalid link property name: ${name} ${place}`)
  return { property: name.slice(0, dot), parent: { key, number } }
}
