import { expect, test } from 'vitest'
import { wholeOrBegun } from './body.ts'

/** Yields texts in the same memory, because threads reuse the memory of chunks. */
async function* inOneBuffer(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(8)
  for (const text of texts) yield buffer.subarray(0, buffer.write(text))
  buffer.fill('?')
}

test.each([
  ['nothing', []],
  ['one chunk', ['one']],
  ['two chunks', ['one', 'two']],
  ['several chunks', ['one', 'two', 'three', 'four']],
])('a body of %s keeps its bytes, though the memory of a chunk is used again', async (_, texts) => {
  const body = await wholeOrBegun(inOneBuffer(...texts))
  let text = ''
  if (body instanceof Uint8Array) text = Buffer.from(body).toString()
  else {
    for (const chunk of body.taken) text += Buffer.from(chunk).toString()
    for await (const chunk of body.rest) text += Buffer.from(chunk).toString()
  }
  expect(text).toBe(texts.join(''))
})
