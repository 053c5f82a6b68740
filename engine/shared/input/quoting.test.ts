import { expect, test } from 'vitest'
import { splitLines } from './lines.ts'
import { cutQuoted, findQuoting } from './quoting.ts'
import { type RowFormat, tableRows } from './table-rows.ts'

const linesOf = (text: string) => splitLines([Buffer.from(text)])

// python3 -c 'import csv,io; print(list(csv.reader(io.StringIO(TEXT), delimiter="\t")))'
test.each([
  ['a\t"b\tc"\t', ['a', 'b\tc', '']],
  ['"5"" lesion"\t1', ['5" lesion', '1']],
  ['""\t"x"', ['', 'x']],
])('%j is cut by RFC 4180', (text, cells) => {
  expect(cutQuoted(text, '\t', 'doubled')).toMatchObject({ cells, state: 'whole' })
})

test.each([
  ['a header that is quoted', '"a"\t"b"\n1\t"x"\n', 'doubled'],
  ['quotes of R inside a text', '"a"\t"b"\n1\t"5\\" lesion"\n', 'escaped'],
  ['a cell that needs its quotes', 'a\tb\n1\t"5"" lesion"\n', 'doubled'],
  ['a cell with a line break', 'a\tb\n1\t"x\n\ny"\n', 'doubled'],
  ['a lone quote within a text', 'a\tb\n1\t5" lesion\n', 'none'],
  ['quotes that nothing needs', 'a\tb\n1\t"x"\n', 'none'],
  ['a quote that nothing closes', 'a\tb\n1\t"x\n2\ty\n', 'none'],
])('%s shows how a table is quoted', async (_, text, quoting) => {
  expect(await findQuoting(linesOf(text), '\t')).toBe(quoting)
})

test('a row goes on behind a line break in quotes, empty lines included', async () => {
  const format: RowFormat = { separator: '\t', findQuoting: async () => 'doubled' }
  const rows = []
  for await (const batch of tableRows(linesOf('a\tb\n1\t"x\n\ny"\n2\tz\n'), format)) {
    rows.push(...batch)
  }
  expect(rows).toEqual([
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', 'x\n\ny'] },
    { line: 5, cells: ['2', 'z'] },
  ])
})

// Each line of such a cell was once scanned again with all lines behind it, which took minutes for a megabyte.
test.each([
  ['nothing closes', 'a'],
  ['lines close and open again', 'x"\t"y'],
  ['has doubled quotes', '""'],
])(
  'half a million characters in quotes that %s take no more than a little time',
  async (_, line) => {
    const text = `"a"\t"b"\n1\t"${`${line}\n`.repeat(500_000 / (line.length + 1))}`
    const start = process.threadCpuUsage()
    expect(await findQuoting(linesOf(text), '\t')).toBe('none')
    const { user, system } = process.threadCpuUsage(start)
    expect((user + system) / 1000).toBeLessThan(10_000)
  },
)
