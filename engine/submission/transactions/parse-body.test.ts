import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { EngineError } from '../../shared/errors.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from '../dictionary/dictionary.ts'
import { formatOf, parseBody, type SubmissionFormat } from './parse-body.ts'
import { readJson } from './read-json.ts'

let dictionary: Dictionary
beforeAll(async () => {
  dictionary = await Dictionary.load(OWN_DICTIONARY, inlineExecutor)
})

const parse = (text: string, format: SubmissionFormat) =>
  parseBody(Buffer.from(text), format, dictionary.types)
const documents = (text: string, format: SubmissionFormat) =>
  parse(text, format).map((one) => ('document' in one ? one.document : one))
const tsv = (...lines: readonly string[]) =>
  documents(lines.join('\n').replaceAll(' | ', '\t'), 'tsv')

test.each([
  ['text/tsv', 'tsv'],
  ['Text/Tab-Separated-Values; charset=utf-8', 'tsv'],
  ['text/csv', 'csv'],
  ['json', 'json'],
  ['application/x-www-form-urlencoded', 'json'],
  [undefined, 'json'],
])('submission.md 7.3: a body of type %s is %s', (type, format) => {
  expect(formatOf(type)).toBe(format)
})

describe('JSON', () => {
  test('one entity or an array of them, in their order', () => {
    const text = '\uFEFF[{"type": "case", "*submitter_id": "A"}, 1, null, [], "x", true, {}]'
    expect(parse(text, 'json')).toEqual([
      { document: { type: 'case', submitter_id: 'A' } },
      ...['number', 'null', 'array', 'string', 'boolean'].map((unlike) => ({ unlike })),
      { document: {} },
    ])
    expect(parse('{"type":"case"}', 'json')).toEqual([{ document: { type: 'case' } }])
    expect(parse('[]', 'json')).toEqual([])
  })

  test('whole numbers are exact up to 64 bits', () => {
    const text =
      '[9007199254740991, 9007199254740993, -9223372036854775808, 9223372036854775808, 5.0, -0]'
    expect(readJson(text)).toEqual([
      ...[9007199254740991, 9007199254740993n, -9223372036854775808n, 2 ** 63, 5, 0],
    ])
  })

  test.each([
    ['3', 'JSON parsed from request is an invalid type: number'],
    ['"a"', 'JSON parsed from request is an invalid type: string'],
    ['{"a":1,"b":2,"a":3,"c":{"b":1,"b":2}}', 'The document contains duplicate keys: a,b'],
    ['{"*a":1,"a":2}', 'The document contains duplicate keys: a'],
    ['', 'Unable to parse json: expected a value at line 1, column 1'],
    ['{"a":\n "secret"x}', 'Unable to parse json: expected a comma or } at line 2, column 10'],
    ['[1,]', 'Unable to parse json: expected a value at line 1, column 4'],
    ['{"a" 1}', 'Unable to parse json: expected a colon at line 1, column 6'],
    ['{a:1}', 'Unable to parse json: expected a key in double quotes at line 1, column 2'],
    ['{} {}', 'Unable to parse json: expected the end at line 1, column 4'],
    ['["a', 'Unable to parse json: expected a closing quote at line 1, column 2'],
    ['["a\nb"]', 'Unable to parse json: expected a text without line breaks'],
    ['[1e999]', 'Unable to parse json: expected a lesser number at line 1, column 2'],
  ])('%j is refused', (text, message) => {
    expect(() => parse(text, 'json')).toThrow(message)
  })

  test('bytes that are no UTF-8 are refused', () => {
    expect(() => parseBody(Buffer.from([0x7b, 0xff]), 'json', new Map())).toThrow('UTF-8')
  })

  test('more entities, keys or levels than the limit are refused', () => {
    const many = `[${'{},'.repeat(100_000)}{}]`
    expect(() => parse(many, 'json')).toThrow('the document has more than 100000 entities')
    // The text is rejected before its end, where it stops being JSON.
    expect(() => parse(`[${'1,'.repeat(100_001)}`, 'json')).toThrow('more than 100000 entities')
    const values = `[{"type": [${'0,'.repeat(2_000_001)}`
    expect(() => parse(values, 'json')).toThrow('the document has more than 2000000 values')
    const wide = `{${Array.from({ length: 2001 }, (_, i) => `"k${i}":1`)}}`
    expect(() => parse(wide, 'json')).toThrow('Unable to parse json: expected at most 2000 keys')
    const deep = '['.repeat(1_000_000)
    expect(() => parse(deep, 'json')).toThrow('Unable to parse json: expected at most 16 levels')
  })

  test('what is JSON to the language is JSON to us, with the same value', () => {
    // Members are unique as the generator makes them, and nesting stays within the bound.
    const text = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc
        .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom(...'{}[]",:\\0e-. \n'))
        .map(([json, at, character]) => {
          const place = at % (json.length + 1)
          return json.slice(0, place) + character + json.slice(place + (at % 2))
        }),
    )
    fc.assert(
      fc.property(text, (json) => {
        const [wanted, isJson] = read(() => JSON.parse(json))
        const [found, isRead] = read(() => readJson(json))
        if (String(found).includes('duplicate')) return
        expect([isRead, isRead ? plain(found) : '']).toEqual([isJson, isJson ? plain(wanted) : ''])
      }),
      { numRuns: depth(100, 500), seed: 9 },
    )
  })
})

function read(parse: () => unknown): readonly [unknown, boolean] {
  try {
    return [parse(), true]
  } catch (error) {
    return [error, false]
  }
}

/** Whole numbers that a double cannot hold exactly are compared as JavaScript rounds them. */
function plain(value: unknown): string | undefined {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one))
}

describe('tables', () => {
  test('submission.md 8: cells are what the properties of their type are, blank ones absent', () => {
    const found = tsv(
      'type | *submitter_id | is_ffpe | days_to_collection | current_weight | sample_type | unknown | id',
      'portion | P | TRUE | 1 | x | 0.5 | a | ',
      'sample | S | true | -12 | 2.0 | null |  | ',
      'sample | T | no | 1.5 | 1e3 | 01 | b | ',
      'sample | U |  | 3.0 | .5 |  |  | ',
    )
    expect(found).toEqual([
      {
        type: 'portion',
        submitter_id: 'P',
        is_ffpe: true,
        days_to_collection: '1',
        current_weight: 'x',
        sample_type: '0.5',
        unknown: 'a',
      },
      {
        type: 'sample',
        submitter_id: 'S',
        is_ffpe: 'true',
        days_to_collection: -12,
        current_weight: 2,
        sample_type: null,
      },
      {
        type: 'sample',
        submitter_id: 'T',
        is_ffpe: 'no',
        days_to_collection: '1.5',
        current_weight: 1000,
        sample_type: '01',
        unknown: 'b',
      },
      { type: 'sample', submitter_id: 'U', days_to_collection: 3, current_weight: 0.5 },
    ])
  })

  test('unions with null take the other kind, lists are cut at bars', () => {
    expect(
      tsv(
        'type | age_at_diagnosis | sites_of_involvement | file_size',
        'diagnosis | 47 | Kidney, Upper Pole|Kidney, Middle | ',
        'diagnosis | null | Ureter | ',
        'gene_expression |  |  | 9007199254740993',
      ),
    ).toEqual([
      {
        type: 'diagnosis',
        age_at_diagnosis: 47,
        sites_of_involvement: ['Kidney, Upper Pole', 'Kidney, Middle'],
      },
      { type: 'diagnosis', age_at_diagnosis: null, sites_of_involvement: ['Ureter'] },
      { type: 'gene_expression', file_size: 9007199254740993n },
    ])
  })

  test('columns of one link with one number name one parent, other numbers others', () => {
    expect(
      tsv(
        'type | cases.submitter_id | cases.id | read_groups.submitter_id#1 | *read_groups.submitter_id#2',
        'a | C |  | R1 | R2',
        'a | C | 7 |  | R2',
        'a | null |  |  | ',
      ),
    ).toEqual([
      {
        type: 'a',
        cases: { submitter_id: 'C' },
        read_groups: [{ submitter_id: 'R1' }, { submitter_id: 'R2' }],
      },
      { type: 'a', cases: { submitter_id: 'C', id: '7' }, read_groups: { submitter_id: 'R2' } },
      { type: 'a' },
    ])
  })

  test('line ends of all systems, blank rows, a mark of byte order and odd blanks do not matter', () => {
    const wanted = [
      { type: 'case', submitter_id: 'A B' },
      { type: 'case', submitter_id: 'C' },
    ]
    for (const end of ['\n', '\r\n', '\r']) {
      const text = [
        '',
        '\uFEFF type\u00a0\t*submitter_id\t',
        '\t\t',
        'case\t A B\u2003',
        'case\tC\t\t',
      ]
      expect(documents(text.join(end).replace(/^/, '\uFEFF'), 'tsv')).toEqual(wanted)
      expect(documents(`${text.slice(1).join(end)}${end}${end}`, 'tsv')).toEqual(wanted)
    }
  })

  test('a quoted cell holds separators, quotes and line breaks, and lines are counted on', () => {
    const columns = new Map([
      ['type', 1],
      ['notes', 2],
    ])
    const text = 'type,notes\ncase,"a ""b"", c\r\nd"\ncase,5" wide\n'
    expect(parse(text, 'csv')).toEqual([
      { document: { type: 'case', notes: 'a "b", c\r\nd' }, line: 2, columns },
      { document: { type: 'case', notes: '5" wide' }, line: 4, columns },
    ])
  })

  test.each([
    // Rscript -e 'write.table(data.frame(type="case", notes=c("5\" x", "a\tb")), sep="\t", row.names=FALSE)'
    ['tsv', '"type"\t"notes"\n"case"\t"5\\" x"\n"case"\t"a\tb"\n', ['5" x', 'a\tb']],
    // The same table with sep=",", and a text that ends with a backslash.
    ['csv', '"type","notes"\r\n"case","5\\" x"\r\n"case","a\\"', ['5" x', 'a\\']],
    // Nothing in this table shows that backslashes are escapes.
    ['csv', 'type,notes\ncase,"a\\"\ncase,"5\\" b\n', ['a\\', '5\\ b']],
  ] as const)('quotes of R within texts of %s', (format, text, notes) => {
    expect(documents(text, format)).toEqual(notes.map((one) => ({ type: 'case', notes: one })))
  })

  test('a whole number may have zero decimals or an exponent', () => {
    expect(
      tsv(
        'type | days_to_collection | file_size',
        'sample | 34.0 | ',
        'sample | 1e+05 | ',
        'sample | 1.5e1 | ',
        'sample | 1.55e1 | ',
        'sample | nan | ',
        'sample | 22,280 | ',
        'gene_expression |  | 9.007199254740993e15',
        'gene_expression |  | 1e999999999',
      ).map(({ days_to_collection, file_size }: Record<string, unknown>) => {
        return days_to_collection ?? file_size
      }),
    ).toEqual([34, 100_000, 15, '1.55e1', 'nan', '22,280', 9007199254740993n, '1e999999999'])
  })

  test('text in UTF-16, archives and packed files are named', () => {
    const refused = (bytes: Buffer) => () => parseBody(bytes, 'tsv', dictionary.types)
    const utf16 = Buffer.from('\ufefftype\tid\n', 'utf16le')
    expect(refused(utf16)).toThrow(
      'the document is not taken: it is text in UTF-16; save it as UTF-8',
    )
    expect(refused(Buffer.from('PK\x03\x04'))).toThrow('it is a ZIP archive')
    expect(refused(gzipSync('type\n'))).toThrow('it is compressed with gzip; unpack it')
  })

  test('a row with content beyond the header is misaligned: nothing of it is taken', () => {
    expect(tsv('type | submitter_id', 'case | A | B', 'case | A |  | ')).toEqual([
      {},
      { type: 'case', submitter_id: 'A' },
    ])
  })

  test.each([
    ['type,submitter_id', 'csv', 'the table has no line breaks'],
    ['type,a,a\n', 'csv', 'column a occurs twice in line 1, as columns 2 and 3; keep one'],
    ['\n\ntype,*a,a\n', 'csv', 'column a occurs twice in line 3'],
    ['type\t.id\n', 'tsv', 'Invalid link name: .id in column 2 of line 1'],
    ['type\tcases.\n', 'tsv', 'Invalid link property name: cases. in column 2 of line 1'],
    ['type\tcases.#1\n', 'tsv', 'Invalid link property name: cases.#1'],
    [
      'type\tcases\tcases.id\n',
      'tsv',
      'columns cases and cases.id exclude each other (columns 2 and 3 of line 1)',
    ],
    ['type\n"a\nb\n', 'tsv', 'the quote that begins a cell in line 2, column 1 is not closed'],
    [
      'type\tnotes\ncase\t"5 cm\ncase\t"7 cm\n',
      'tsv',
      'the quote that begins a cell in line 2, column 2 ends within a text of line 3',
    ],
    ['a,b\nc,"d\n', 'csv', 'the quote that begins a cell in line 2, column 2 is not closed'],
  ] as const)('%j is refused', (text, format, message) => {
    expect(() => parse(text, format)).toThrow(message)
  })

  test('more columns, cells or rows than the limit are refused', () => {
    const wide = `${'a\t'.repeat(2001)}\n`
    expect(() => parse(wide, 'tsv')).toThrow('the table has more than 2000 columns')
    const blank = `type\n${'\t'.repeat(10_000)}`
    expect(() => parse(blank, 'tsv')).toThrow('line 2 has more than 10000 cells')
    const long = `type\n${'a\n'.repeat(100_001)}`
    expect(() => parse(long, 'tsv')).toThrow('the table has more than 100000 rows')
    // The text is rejected before its end, where a quote is not closed.
    const empty = `type\n${'\n'.repeat(2_000_001)}"`
    expect(() => parse(empty, 'tsv')).toThrow('the table has more than 2000000 cells')
  })

  test('a table without rows has no entities', () => {
    expect(parse('type\tsubmitter_id\n\n', 'tsv')).toEqual([])
    expect(parse('\n', 'csv')).toEqual([])
  })

  test('what is written as a table is read from it', () => {
    const cell = fc
      .string({ unit: fc.constantFrom(...'ab"\t,\r\n |é') })
      .map((text) => text.trim())
      .filter((text) => text !== '')
    const row = fc.record({
      submitter_id: cell,
      notes: fc.option(cell, { nil: undefined }),
      cases: fc.uniqueArray(cell, { minLength: 0, maxLength: 3 }),
    })
    const form = fc.record({
      separator: fc.constantFrom('\t', ','),
      end: fc.constantFrom('\n', '\r\n', '\r'),
      rows: fc.array(row, { maxLength: 5 }),
    })
    fc.assert(
      fc.property(form, ({ separator, end, rows }) => {
        const quoted = (text = '') => `"${text.replaceAll('"', '""')}"`
        const header = ['type', '*submitter_id', 'notes', ...[1, 2, 3].map((n) => `cases.id#${n}`)]
        const lines = rows.map(({ submitter_id, notes, cases }) =>
          ['annotation', quoted(submitter_id), quoted(notes), ...cases.map(quoted)].join(separator),
        )
        const text = [header.join(separator), ...lines, ''].join(end)
        expect(documents(text, separator === ',' ? 'csv' : 'tsv')).toEqual(
          rows.map(({ submitter_id, notes, cases }) => ({
            type: 'annotation',
            submitter_id,
            ...(notes === undefined ? {} : { notes }),
            ...(cases.length === 0 ? {} : { cases: oneOrAll(cases.map((id) => ({ id }))) }),
          })),
        )
      }),
      { numRuns: depth(100, 500), seed: 11 },
    )
  })

  test('no bytes make the parser fail in another way than by refusing them', () => {
    const text = fc.string({ unit: fc.constantFrom(...'type\tcases.id#1"\n\r,*null0') })
    fc.assert(
      fc.property(text, fc.constantFrom('tsv', 'csv', 'json'), (text, format) => {
        const [result, isParsed] = read(() => parse(text, format))
        if (!isParsed) expect(result).toBeInstanceOf(EngineError)
      }),
      { numRuns: depth(200, 1000), seed: 12 },
    )
  })
})

function oneOrAll<T>(list: readonly T[]): T | readonly T[] | undefined {
  return list.length === 1 ? list[0] : list
}
