import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonErrorPlace, textPlace } from './json-error.ts'
import { JsonPieceError, parseJsonPieces } from './json-pieces.ts'

// The reference is JSON.parse: its value, and the place at which it reports an error.

const LIMITS = { source: 'the text' }

function parsed(text: string, pieceBytes: number): unknown {
  const steps = parseJsonPieces(Buffer.from(text), LIMITS, pieceBytes)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Returns the value with its members in order, or the place at which the text stops being JSON. */
function outcomeOf(parse: () => unknown, placeOf: (thrown: unknown) => object): unknown {
  try {
    return { value: JSON.stringify(parse()) }
  } catch (thrown) {
    return { place: placeOf(thrown) }
  }
}

function inPieces(text: string, pieceBytes: number): unknown {
  return outcomeOf(
    () => parsed(text, pieceBytes),
    (thrown) => {
      if (!(thrown instanceof JsonPieceError)) throw thrown
      const before = decoded(Buffer.from(text).subarray(0, thrown.byteOffset))
      return textPlace(decoded(Buffer.from(text)), before.length + thrown.units)
    },
  )
}

/** A byte order mark at the beginning is not part of the text. */
const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function whole(sent: string): unknown {
  const text = decoded(Buffer.from(sent))
  return outcomeOf(
    () => JSON.parse(text),
    (thrown) => jsonErrorPlace(text, thrown),
  )
}

const documents = fc
  .json({ depthSize: 'max', maxDepth: 6, stringUnit: 'grapheme' })
  .chain((text) => fc.constantFrom(text, JSON.stringify(JSON.parse(text), undefined, 1)))
const pieces = fc.integer({ min: 1, max: 40 })

test('a text in pieces is what it is as a whole', () => {
  const property = fc.property(documents, pieces, (text, pieceBytes) => {
    expect(inPieces(text, pieceBytes)).toEqual(whole(text))
  })
  fc.assert(property, { seed: 12, numRuns: 2000 })
})

test('a text that is cut off, or has something else in it, goes wrong at the same place', () => {
  const wrong = fc.constantFrom(
    '',
    ',',
    ':',
    '[',
    ']',
    '{',
    '}',
    '"',
    'x',
    '1',
    ' ',
    '\ufeff',
    '\\',
  )
  const property = fc.property(
    documents,
    pieces,
    wrong,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(3),
    (text, pieceBytes, given, at, without) => {
      const place = Math.floor(at * text.length)
      const cut = text.slice(0, place)
      for (const broken of [cut + given, cut + given + text.slice(place + without)]) {
        // A lone surrogate cannot be encoded as UTF-8.
        if (!broken.isWellFormed()) continue
        expect({ broken, ...(inPieces(broken, pieceBytes) as object) }).toEqual({
          broken,
          ...(whole(broken) as object),
        })
      }
    },
  )
  fc.assert(property, { seed: 21, numRuns: 4000 })
})

test.each([
  ['{"__proto__":[1,2,3,4],"a":1,"__proto__":{"b":[1,2,3]}}'],
  ['{"a":1,"a":[1,2,3,4,5],"":{"":[1,2,3,4]},"":5}'],
  ['{"2":[1,2,3,4],"1":[1,2,3,4],"a":3}'],
  ['[[[[[[[[[[1]]]]]]]]]]  '],
  ['[1,2,[3,4,5,6] [7,8,9,10]]'],
  ['[1,2,[3,4,5,6],]'],
  ['[1,,[3,4,5,6]]'],
  ['{"a":[1,2,3,4]:1}'],
  ['{"a" [1,2,3,4]}'],
  ['{[1,2,3,4]}'],
  ['[1,2,3,4,5}'],
  ['[1,2,3,4,5]]'],
  ['[1,2,"\\u00'],
])('%s', (text) => {
  for (let pieceBytes = 1; pieceBytes < 30; pieceBytes++) {
    expect(inPieces(text, pieceBytes)).toEqual(whole(text))
  }
})

test('a step parses no more than two pieces, and the limits hold for the whole', () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ id: `v${i}` })))
  const steps = parseJsonPieces(Buffer.from(text), LIMITS, 1000)
  let count = 0
  while (!steps.next().done) count++
  expect(count).toBeGreaterThan(text.length / 1000)
  const few = parseJsonPieces(Buffer.from(text), { ...LIMITS, maxValues: 10_000 }, 1000)
  expect(() => {
    while (!few.next().done);
  }).toThrow('the text has more than 10000 values')
})
