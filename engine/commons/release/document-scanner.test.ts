import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import type { ColumnEncoder } from './column-encoder.ts'
import { capturedText, DocumentScanner } from './document-scanner.ts'
import { TreeNode } from './document-tree.ts'
import { LevelEncoder } from './level-encoder.ts'

type Event = readonly [path: string, element: number, value: string | number | boolean]

/** Records the values that it receives. */
const noting = (path: string, events: Event[]): ColumnEncoder => ({
  addPlain: (element, bytes, start, end, hasUpper) => {
    const text = bytes.toString('latin1', start, end)
    expect(hasUpper).toBe(/[A-Z]/.test(text))
    events.push([path, element, text])
  },
  addText: (element, text) => void events.push([path, element, text]),
  addNumber: (element, number) => void events.push([path, element, number]),
  addBoolean: (element, value) => void events.push([path, element, value]),
  addNull: () => {},
  finish: () => expect.fail('nothing is finished here'),
})

const LEVELS = ['b', 'b.c', 'a.d'] as const
const FIELDS = ['a', 'a.x', 'b.x', 'b.a', 'b.c.x', 'a.d.x', 'é'] as const

function scannerOf(events: Event[]) {
  const root = new TreeNode()
  const record = new LevelEncoder('')
  const levels = new Map([['', record]])
  const above = (path: string) =>
    LEVELS.findLast((level) => path.startsWith(`${level}.`) && level !== path) ?? ''
  for (const path of LEVELS) {
    const level = new LevelEncoder(path, levels.get(above(path)))
    levels.set(path, level)
    root.at(path).level = level
  }
  for (const path of FIELDS) {
    const level = levels.get(above(path))!
    root.at(path).sinks.push({ encoder: noting(path, events), level })
  }
  const scanner = new DocumentScanner(root)
  const id = scanner.capture('id')
  return { record, scanner, id }
}

/** Computes the same with JSON.parse and recursion. */
function naiveEvents(documents: readonly unknown[]): Event[] {
  const events: Event[] = []
  const counts: Record<string, number> = {}
  const walk = (path: string, value: unknown) => {
    if (value === null) return
    if (Array.isArray(value)) {
      for (const one of value) walk(path, one)
    } else if (typeof value === 'object') {
      if ((LEVELS as readonly string[]).includes(path)) counts[path] = (counts[path] ?? 0) + 1
      for (const [name, member] of Object.entries(value as object)) {
        // A name that contains a dot is not a path.
        if (!name.includes('.')) walk(path === '' ? name : `${path}.${name}`, member)
      }
    } else if ((FIELDS as readonly string[]).includes(path)) {
      if (typeof value === 'number' && !Number.isFinite(value)) return
      const level = LEVELS.findLast((one) => path.startsWith(`${one}.`)) ?? ''
      events.push([path, (counts[level] ?? 0) - 1, value as string])
    }
  }
  for (const document of documents) {
    counts[''] = (counts[''] ?? 0) + 1
    walk('', document)
  }
  return events
}

function scanned(lines: readonly string[]): Event[] {
  const events: Event[] = []
  const { record, scanner } = scannerOf(events)
  for (const line of lines) {
    record.open()
    scanner.scan(Buffer.from(`${line}\n`), 0)
  }
  return events
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'x', 'é', 'other', 'a.x', '"', '\u0000', 'ab')
const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(null, true, false, 0.1, 123456789012345, 1e21, 2 ** 60, 0.30000000001),
)
const { value } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 6 }),
}))
const object = fc.dictionary(name, value, { maxKeys: 6 })

/** Returns another spelling of the same JSON. */
function respelled(text: string, choice: number): string {
  if (choice === 0) return text
  if (choice === 1) return JSON.stringify(JSON.parse(text), null, 1).replaceAll('\n', '\t\r ')
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (string) => {
    const inner: string = JSON.parse(string)
    const units = [...Array(inner.length).keys()].map((i) => inner.charCodeAt(i))
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
  })
}

test('every value goes to its field and element, as by JSON.parse', () => {
  const documents = fc.array(fc.tuple(object, fc.nat(2)), { minLength: 1, maxLength: 6 })
  const property = fc.property(documents, (chosen) => {
    const lines = chosen.map(([one, choice]) => respelled(JSON.stringify(one), choice))
    // Numbers are written by JSON.stringify, so reading them gives exactly the same number.
    const expected = naiveEvents(lines.map((line) => JSON.parse(Buffer.from(line).toString())))
    expect(scanned(lines)).toEqual(expected)
  })
  fc.assert(property, { seed: 9, numRuns: depth(300, 2000) })
})

test('what JSON.parse refuses is refused, and what it takes is taken', () => {
  const parts = [
    ...[
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '\\',
      '\\u',
      '-',
      '+',
      '.',
      'e',
      'E',
      '0',
      '1',
      '00',
      'a',
    ],
    ...['true', 'false', 'null', 'nul', ' ', '\t', '\r', '\u0001', '\u000b', 'é', '1.5e-3', '"x":'],
  ]
  const edit = fc.tuple(fc.nat(1000), fc.nat(3), fc.constantFrom(...parts))
  const property = fc.property(object, fc.array(edit, { maxLength: 2 }), (one, edits) => {
    let line = JSON.stringify(one)
    for (const [at, cut, part] of edits) {
      const place = at % (line.length + 1)
      line = line.slice(0, place) + part + line.slice(place + cut)
    }
    let isObject = false
    try {
      const parsed = JSON.parse(Buffer.from(line).toString())
      isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    } catch {}
    const scan = () => scanned([line])
    if (isObject) expect(scan).not.toThrow()
    else expect(scan).toThrow(SyntaxError)
  })
  fc.assert(property, { seed: 10, numRuns: depth(1000, 5000) })
})

test.each([
  '{"a":01}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":+1}',
  '{"a":1e}',
  '{"a":-}',
  '{"a":1,}',
  '{,}',
])('%s is refused', (line) => expect(() => scanned([line])).toThrow(SyntaxError))

test('a fault is named by its place in the line', () => {
  const { scanner } = scannerOf([])
  expect(() => scanner.scan(Buffer.from('....{"a": nix}\n'), 4)).toThrow(/at byte 8 of the line/)
})

test('what is nested too deep is refused', () => {
  const deep = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  expect(() => scanned([deep(90)])).not.toThrow()
  expect(() => scanned([deep(100_000)])).toThrow(/nested too deep/)
})

test.each([
  ['{"id":"ABC","a":1}', 'ABC'],
  ['{"a":{"id":"no"},"id":"x\\ty"}', 'x\ty'],
  ['{"id":"\\u0041é"}', 'Aé'],
  ['{"id":12.50}', '12.50'],
  ['{"id":true}', 'true'],
  ['{"id":null}', ''],
  ['{"id":["x"]}', ''],
  ['{"id":{"id":"x"}}', ''],
  ['{}', ''],
])('a member of the record is noted: %s', (line, text) => {
  const { scanner, id } = scannerOf([])
  scanner.scan(Buffer.from('{"id":"before"}\n'), 0)
  const bytes = Buffer.from(`${line}\n`)
  scanner.scan(bytes, 0)
  expect(capturedText(id, bytes)).toBe(text)
})
