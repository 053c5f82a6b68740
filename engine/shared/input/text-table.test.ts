import { expect, test } from 'vitest'
import { headedTable, separatorOf, textRows } from './text-table.ts'

const cells = (text: string, separator: '\t' | ',') =>
  [...textRows(text, separator)].map((row) => row.cells)

// python3 -c 'import csv,io; print(list(csv.reader(io.StringIO(TEXT, newline=""))))'
test.each([
  ['a,b\r\n"x, ""y""",z\r\n', ['a', 'b'], ['x, "y"', 'z']],
  ['\ufeffa,b\n\n1,"x\ny"', ['a', 'b'], ['1', 'x\ny']],
  ['a,b\r1,2\r', ['a', 'b'], ['1', '2']],
])('%j is cut between commas as Python cuts it', (text, ...rows) => {
  expect(cells(text, ',')).toEqual(rows)
})

test('between tabs, a quote is one unless the table as a whole shows that it is quoted', () => {
  expect(cells('a\tb\n1\t"x"\n', '\t')).toEqual([
    ['a', 'b'],
    ['1', '"x"'],
  ])
  expect(cells('"a"\t"b"\n1\t"x"\n', '\t')[1]).toEqual(['1', 'x'])
})

// This is what R writes: Rscript -e 'write.table(data.frame(a="5\" x", b=1), sep=",", row.names=FALSE)'
test('quotes of R are read between commas, too', () => {
  expect(cells('"a","b"\n"5\\" x",1\n', ',')[1]).toEqual(['5" x', '1'])
})

test('rows have the line in which they begin, with blank ones counted', () => {
  const rows = [...textRows('a,b\n \n"x\n\ny",1\r\n\n2,3', ',')]
  expect(rows.map(({ line }) => line)).toEqual([1, 3, 7])
})

test.each([
  ['a,b\n"x,1\n', 'line 2 opens a quote that is never closed'],
  ['a,b\n1,5" x\n', 'line 2, column 2 has a quote inside a text'],
  [
    'a,b,a\n1,2,1\n3,4,5\n',
    'column a occurs twice in line 1, as columns 1 and 3, which differ in line 3',
  ],
])('%j is refused with its place', (text, message) => {
  expect(() => headedTable(text)).toThrow(message)
})

test('a column may occur twice with the same cells', () => {
  expect(headedTable(' a \tb\ta\n1\t2\t1')).toMatchObject({ header: ['a', 'b', 'a'], line: 1 })
  expect(headedTable('')).toEqual({ header: [], line: 1, rows: [] })
})

test('the first line shows what separates cells', () => {
  expect([separatorOf('a,b\n1\t2'), separatorOf('a\tb,c\n')]).toEqual([',', '\t'])
})
