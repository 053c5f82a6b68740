import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../depth.ts'
import { openFuzzWorld, VERSION } from './support/fuzz-world.ts'
import { contentTypes, isCase, postedText } from './support/odd-posts.ts'
import { failureOf } from './support/registry-answers.ts'
import type { RegistryWorld } from './support/registry-world.ts'

// Lines are answered like single cases, each independently of its neighbours.

const BATCHES = depth(400, 400, 1000)
/** The maximum number of lines; the average is half of it. */
const MAX_LINES = 60

let world: RegistryWorld
beforeAll(async () => {
  world = await openFuzzWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Line breaks in a body would end a line. */
const line = postedText.map((text) => text.replaceAll('\n', ' '))
const TYPES = contentTypes(['application/x-ndjson', 'application/jsonl'])
const lines = fc.array(line, { maxLength: MAX_LINES, size: 'max' })

test(`each line of ${BATCHES} batches is staged if it is a case, and answered by an error if not`, async () => {
  const counts = { staged: 0, refused: 0, unread: 0 }
  const path = `${VERSION}/stage/batch`
  const property = fc.asyncProperty(
    ...([lines, fc.boolean(), TYPES] as const),
    async (posted, isEnded, { type, isRight }) => {
      const body = posted.join('\n') + (isEnded ? '\n' : '')
      const response = await world.ask(`POST ${path}`, {
        who: 'reader',
        body,
        headers: { 'Content-Type': type },
      })
      if (!isRight) {
        counts.unread++
        await failureOf(response, 415, path)
        return
      }
      const wanted = body.replace(/\n$/, '').split('\n')
      const answers = (await response.text()).split('\n')
      expect(response.status).toBe(200)
      expect(answers.pop()).toBe('')
      expect(answers.map(kindOf)).toEqual(body === '' ? [] : wanted.map(wantedKind))
      for (const text of wanted) counts[isCase(text) ? 'staged' : 'refused']++
    },
  )
  await fc.assert(property, { seed: 40, numRuns: BATCHES })
  expect(counts.staged).toBeGreaterThan(10 * BATCHES)
  expect(counts.refused).toBeGreaterThan(10 * BATCHES)
  expect(counts.unread).toBeGreaterThan(BATCHES / 20)
  expect(world.lines).toEqual([])
})

function wantedKind(text: string, at: number): string {
  if (isBlank(text)) return 'empty'
  return isCase(text) ? 'staged' : `refused ${at + 1}`
}

/** Blanks that JSON skips. */
const isBlank = (text: string) => /^[ \t\r]*$/.test(text)

/** Determines the kind of an answer by its members, and checks all of them. */
function kindOf(answer: string): string {
  if (answer === '') return 'empty'
  const { line: number, error, ...staged } = JSON.parse(answer)
  if (error === undefined) {
    const { result, input, output, errors, path, schema_id: _id, ...others } = staged
    const isWhole = /^(STAGED|FAILED_[A-Z_]+)$/.test(result) && Array.isArray(errors)
    const isReported =
      typeof input === 'object' && typeof output === 'object' && Array.isArray(path)
    return isWhole && isReported && Object.keys(others).length === 0 ? 'staged' : answer
  }
  const isError = /^(bad_input|too_large|too_many)$/.test(error.code) && /\S/.test(error.message)
  return isError && Object.keys(staged).length === 0 ? `refused ${number}` : answer
}
