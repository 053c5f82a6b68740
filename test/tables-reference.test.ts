import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Column } from '../engine/commons/import/columns.ts'
import type { TableKind } from '../engine/commons/import/table-kind.ts'
import { TABLE_KINDS } from '../engine/commons/import/tables/index.ts'

// docs/reference/tables.md lists the columns that the declarations of the kinds have.

const PAGE = readFileSync(join(import.meta.dirname, '../docs/reference/tables.md'), 'utf8')

function rowOf(kind: TableKind, key: string, column: Column) {
  const { names, type, isList, separator, inStepWith = '', values } = column
  const other = kind.columns[inStepWith]?.names[0]
  const step = other === undefined ? '' : `, one for each \`${other}\``
  const cells = isList
    ? `${type}s, \`${separator === '|' ? '\\|' : separator}\` between them${step}`
    : type
  const kept = values ? `, \`${values.join('`, `')}\` is a value` : ''
  const isNeeded = kind.needs.some((keys) => [keys].flat().includes(key))
  return `| ${names.map((name) => `\`${name}\``).join(', ')} | ${cells}${kept} | ${isNeeded ? 'yes' : ''} |`
}

const rows = TABLE_KINDS.flatMap((kind) =>
  Object.entries(kind.columns).map(([key, column]) => rowOf(kind, key, column)),
)

test('every column of a kind of table has its row, and every row its column', () => {
  const ofKinds = PAGE.slice(PAGE.indexOf('| Names of the column |'))
  const documented = ofKinds.split('\n').filter((line) => line.startsWith('| `'))
  expect(documented.toSorted()).toEqual(rows.toSorted())
})

test('every kind of table is named', () => {
  for (const { name } of TABLE_KINDS) expect(PAGE.toLowerCase()).toContain(name.toLowerCase())
})
