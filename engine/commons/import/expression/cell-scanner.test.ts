import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../../test/depth.ts'
import { CellScanner } from './cell-scanner.ts'
import { readDecimal } from './decimal.ts'

// The values that are parsed on the way must equal the values of the cells that are found first.

const COLUMNS = 4
const numbers = fc.oneof(
  fc.constantFrom(
    '0',
    '0.0',
    '1.5',
    '.5',
    '5.',
    '007',
    '429496.7294',
    '429496.7295',
    '1e+05',
    'NA',
    '',
  ),
  fc.constantFrom(
    '1.23456',
    '1.50000',
    '999999.9999',
    '-1',
    ' 2',
    '2 ',
    '"3"',
    '"4',
    '1,2',
    '1.2.3',
  ),
  fc.integer({ min: 0, max: 0xffff_fffe }).map((fixed) => String(fixed / 10_000)),
)
const lines = fc.tuple(
  fc.constantFrom('ENSG1', '"ENSG2"', '', ' a'),
  fc.array(numbers, { minLength: COLUMNS - 2, maxLength: COLUMNS }),
  fc.constantFrom('\n', '\r\n', '\n\n'),
)

test.each([
  ['ENSG1\t"a\n', true],
  ['ENSG1\t1\t2\t"a\n', true],
  ['ENSG1\t"a\t1\t2\n', false],
  ['ENSG1\t1\t2\t"a"b\n', false],
  ['ENSG1\t1\t2\t"a ""b\n', true],
  ['ENSG1\t"1\t2"\n', false],
])('%j continues in the next line: %s', (line, continues) => {
  const scanner = new CellScanner(Buffer.from(line), { columns: 4, separator: '\t' }, 1)
  scanner.next()
  expect(scanner.continues).toBe(continues)
})

test.each(['\t', ','] as const)(
  'plain lines between %j have the values of their cells',
  (separator) => {
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 6 }), (made) => {
        const text = made
          .map(([id, cells, end]) => `${[id, ...cells].join(separator)}${end}`)
          .join('')
        const [plain, other] = [0, 1].map(
          () => new CellScanner(Buffer.from(text), { columns: COLUMNS, separator }, 1),
        )
        const values = new Uint32Array(2)
        const places = Int32Array.of(-1, 0, -1, 1)
        for (;;) {
          const isPlain = plain!.nextPlain(places, values)
          const isNext = other!.next()
          if (!isPlain) expect(plain!.next()).toBe(isNext)
          if (!isNext) return
          expect([plain!.line, plain!.cells]).toEqual([other!.line, other!.cells])
          if (!isPlain) continue
          expect([0, 2].map((cell) => plain!.text(cell))).toEqual(
            [0, 2].map((cell) => other!.text(cell)),
          )
          expect([...values]).toEqual(
            [1, 3].map((cell) => readDecimal(other!.bytes, other!.start(cell), other!.end(cell))),
          )
        }
      }),
      { seed: 37, numRuns: depth(500, 50_000) },
    )
  },
)
