import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { renumbered } from './renumber.ts'

/** Results as they are written, and as they must be after `before` lines. */
const answer = fc.oneof(
  fc.record({ line: fc.integer({ min: 1, max: 2 ** 40 }), text: fc.string() }),
  fc.record({ line: fc.constant(undefined), text: fc.string({ maxLength: 200 }) }),
  fc.constant(undefined),
)
type Answer = { readonly line?: number | undefined; readonly text: string } | undefined

function written(one: Answer, before: number): string {
  if (one === undefined) return '\n'
  const { line, text } = one
  // A text that looks like an error is not one, because texts in JSON contain no line breaks.
  const error = { line: (line ?? 0) + before, file: text, error: { message: '{"line":1,' } }
  return `${JSON.stringify(line === undefined ? { result: text, output: '{"line":7,' } : error)}\n`
}

test('numbers of errors are changed and nothing else, however the bytes come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(answer, { maxLength: 20 }),
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 50 }),
      async (answers, before, cuts) => {
        const bytes = Buffer.from(answers.map((one) => written(one, 0)).join(''))
        async function* chunks() {
          let at = 0
          for (let i = 0; at < bytes.length; i++) {
            const length = cuts[i % cuts.length] ?? 1
            // The memory of a chunk may be reused.
            const chunk = Buffer.from(bytes.subarray(at, at + length))
            yield chunk
            chunk.fill(0)
            at += Math.max(1, length)
            if (length === 0) yield Buffer.from(bytes.subarray(at - 1, at))
          }
        }
        const made: Buffer[] = []
        for await (const chunk of renumbered(chunks(), before)) made.push(Buffer.from(chunk))
        const wanted = answers.map((one) => written(one, before)).join('')
        expect(Buffer.concat(made).toString()).toBe(wanted)
      },
    ),
    { seed: 83, numRuns: 300 },
  )
})
