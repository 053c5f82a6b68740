import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../../test/available.ts'
import { jsonOf, tableOf, xmlOf } from './values.ts'

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

const FOLDER = publicData('contract/examples')
const vector = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

test('a table has the columns of all records, id first, and cells by data-commons.md 3.5', () => {
  const records = [
    { b: [{ c: 1.5 }, { c: 839 }], id: 'x', a: true },
    { id: 'y', d: null, n: 839, B: 'tab\there' },
  ]
  expect(textOf(tableOf(records, { types: new Map([['b.c', 'double']]) }))).toBe(
    [
      ...['id\tB\ta\tb.0.c\tb.1.c\td\tn', 'x\t\tTrue\t1.5\t839.0\t\t'],
      'y\ttab here\t\t\t\t\t839\n',
    ].join('\n'),
  )
})

test('no records are no table', () => {
  expect(tableOf([])).toHaveLength(0)
  expect(textOf(tableOf([{}, {}]))).toBe('\n\n\n')
})

test('a list as XML is items', () => {
  expect(textOf(xmlOf([{ id: 1 }, { id: null }]))).toBe(
    '<?xml version="1.0" ?><response><item><id>1</id></item><item><id/></item></response>',
  )
})

test('JSON is compact, or has two blanks per level', () => {
  const value = { a: ['ä', { b: null }], c: [] }
  expect(textOf(jsonOf(value))).toBe(JSON.stringify(value))
  expect(textOf(jsonOf(value, { pretty: true }))).toBe(JSON.stringify(value, null, 2))
})

describe.skipIf(!available.shared)('published examples', () => {
  /** Rebuilds arrays and objects from the cells of a flattened row. */
  function nested(keys: readonly string[], cells: readonly string[]): Record<string, unknown> {
    const root: Record<string, unknown> = {}
    for (const [i, key] of keys.entries()) {
      let node = root
      const names = key.split('.')
      for (const [depth, name] of names.entries()) {
        const isLast = depth === names.length - 1
        node[name] ??= isLast ? cells[i] : /^\d+$/.test(names[depth + 1]!) ? [] : {}
        node = node[name] as Record<string, unknown>
      }
    }
    return root
  }

  test.each(['15_search.tsv', '16_search.tsv', '37_analysis.tsv'])('%s', (file) => {
    const [header = '', ...lines] = vector(file).trimEnd().split('\n')
    const keys = header.split('\t')
    const table = textOf(tableOf(lines.map((line) => nested(keys, line.split('\t')))))
    const order = ['id', ...keys.filter((key) => key !== 'id').sort()].map((key) =>
      keys.indexOf(key),
    )
    const expected = [header, ...lines].map((line) => {
      const cells = line.split('\t')
      return order.map((i) => cells[i]).join('\t')
    })
    expect(table).toBe(`${expected.join('\n')}\n`)
  })

  test('17_search.xml', () => {
    const xml = vector('17_search.xml')
    const found = xml.matchAll(/<id>(.*)<\/id>\s*<submitter_id>(.*)<\/submitter_id>/g)
    const hits = [...found].map(([, id, submitter]) => ({ id, submitter_id: submitter }))
    expect(hits).toHaveLength(5)
    const pagination = { count: 5, total: 86962, size: 5, from: 0, sort: '', page: 1, pages: 17393 }
    const value = { data: { hits, pagination }, warnings: {} }
    expect(textOf(xmlOf(value, { pretty: true }))).toBe(xml)
  })
})
