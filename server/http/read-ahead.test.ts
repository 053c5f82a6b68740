import { expect, test } from 'vitest'
import type { EngineError } from '../../engine/shared/index.ts'
import { eventually } from '../../test/eventually.ts'
import { Inflow } from './inflow.ts'
import { ReadAhead } from './read-ahead.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** A body in pieces that counts the pieces that were read. */
function body(...pieces: readonly (string | Error)[]) {
  const state = { asked: 0, ended: false }
  async function* source() {
    try {
      for (const piece of pieces) {
        state.asked++
        if (typeof piece !== 'string') throw piece
        yield bytesOf(piece)
      }
    } finally {
      state.ended = true
    }
  }
  return { state, source: source() }
}

function readAhead(source: AsyncIterable<Uint8Array>, maxBytes = 100) {
  const inflow = new Inflow({ maxBytes: 1000 })
  const arrive = (giveUp: (error: EngineError) => void) => inflow.begin({ giveUp })
  return { ahead: new ReadAhead(source, { maxBytes, arrive }), inflow }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += new TextDecoder().decode(chunk)
  return text
}

test('nothing is read before the first request', async () => {
  const { state, source } = body('a\n', 'b\n', 'c\n')
  const { ahead } = readAhead(source)
  const chunks = ahead.chunks()
  await chunks.next()
  expect(state.asked).toBe(1)
  expect(await textOf(chunks)).toBe('b\nc\n')
  expect(ahead.isCut).toBe(false)
})

test('once started, everything is read in order, and counted until it is passed on', async () => {
  const { state, source } = body('a\n', 'b\n', 'c\n')
  const { ahead, inflow } = readAhead(source)
  const chunks = ahead.chunks()
  await chunks.next()
  ahead.start()
  ahead.start()
  await eventually(() => expect(state.ended).toBe(true))
  expect(inflow.bytes).toBe(4)
  expect(await textOf(chunks)).toBe('b\nc\n')
  expect(inflow.bytes).toBe(0)
  expect(ahead.isCut).toBe(false)
})

test.each([
  [6, 'a\n'],
  [10, 'a\nb\nc\n'],
  [1, ''],
])(
  'beyond %i bytes the rest is dropped behind a whole line, and read to its end',
  async (most, text) => {
    const { state, source } = body('a\n', 'b\nc\nhal', 'f\nd\n', 'e\n')
    const { ahead } = readAhead(source, most)
    ahead.start()
    await eventually(() => expect(state.ended).toBe(true))
    expect(state.asked).toBe(4)
    expect(await textOf(ahead.chunks())).toBe(text)
    expect(ahead.isCut).toBe(true)
  },
)

test('the error of the body follows its chunks', async () => {
  const { source } = body('a\n', new Error('reset'))
  const { ahead } = readAhead(source)
  ahead.start()
  const chunks = ahead.chunks()
  expect(await chunks.next()).toMatchObject({ value: bytesOf('a\n') })
  await expect(chunks.next()).rejects.toThrow('reset')
})

test('a consumer that stops ends the reading', async () => {
  const { state, source } = body('a\n', 'b\n', 'c\n')
  const { ahead, inflow } = readAhead(source)
  const chunks = ahead.chunks()
  await chunks.next()
  await chunks.return(undefined)
  ahead.start()
  await eventually(() => expect(state.ended).toBe(true))
  expect(state.asked).toBe(1)
  expect(inflow.bytes).toBe(0)
})
