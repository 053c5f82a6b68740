import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Column } from '../engine/commons/import/columns.ts'
import type { TableKind } from '../engine/commons/import/table-kind.ts'
import { TABLE_KINDS } from '../engine/commons/import/tables/index.ts'
import { CODE_CELL_HEADER, CODE_CELL_ROWS, OTHER_TABLES } from './other-tables.ts'

// docs/reference/tables.md lists the columns that the kinds declare.

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

const OTHERS = '## Tables outside of the commons'

const rows = TABLE_KINDS.flatMap((kind) =>
  Object.entries(kind.columns).map(([key, column]) => rowOf(kind, key, column)),
)

test('every column of a kind of table has its row, and every row its column', () => {
  const ofKinds = PAGE.slice(PAGE.indexOf('| Names of the column |'), PAGE.indexOf(OTHERS))
  const documented = ofKinds.split('\n').filter((line) => line.startsWith('| `'))
  expect(documented.toSorted()).toEqual(rows.toSorted())
})

test.each(Object.entries(OTHER_TABLES))('%s has its columns', (name, expected) => {
  const [, section = ''] = PAGE.slice(PAGE.indexOf(OTHERS)).split(`\n### ${name}\n`)
  const [own = ''] = section.split('\n#')
  expect(own.split('\n').filter((line) => line.startsWith('| `'))).toEqual(expected)
})

test('no other table is listed', () => {
  const headings = PAGE.slice(PAGE.indexOf(OTHERS)).match(/^### .*$/gm)
  expect(headings).toEqual(Object.keys(OTHER_TABLES).map((name) => `### ${name}`))
})

test('cells of tables of codes are read as the page says', () => {
  const [, table = ''] = PAGE.split(CODE_CELL_HEADER)
  const [, , ...rows] = table.split('\n')
  expect(rows.slice(0, CODE_CELL_ROWS.length)).toEqual(CODE_CELL_ROWS)
})

test('every kind of table is named', () => {
  for (const { name } of TABLE_KINDS) expect(PAGE.toLowerCase()).toContain(name.toLowerCase())
})
