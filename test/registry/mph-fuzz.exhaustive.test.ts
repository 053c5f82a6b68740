import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomFrom } from '../../fixtures/random.ts'
import { oddPair, oddPatient } from './support/odd-tumours.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'

// Any tumours posted are answered with a result or a refusal as the interface describes it.

const BATCHES = 180
const LINES = 500
const PAIRS = 6000
const PATIENTS = 4000

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistry({ logLevel: 'error' })
})
afterAll(async () => {
  // No failures were logged.
  const lines = world?.lines ?? []
  await world?.[Symbol.asyncDispose]()
  expect(lines).toEqual([])
})

const OUTCOMES = ['SINGLE_PRIMARY', 'MULTIPLE_PRIMARIES', 'QUESTIONABLE', 'INVALID_INPUT']

test(`each of ${BATCHES * LINES} lines has a result, or an error with its number, or is empty`, async () => {
  const counts: Record<string, number> = {}
  for (let batch = 0; batch < BATCHES; batch++) {
    const random = randomFrom(38, batch)
    const lines = Array.from({ length: LINES }, () => oddPair(random))
    const response = await world.ask('POST /rest/mph/batch', {
      who: 'reader',
      body: lines.join('\n'),
      headers: { 'Content-Type': 'application/jsonl' },
    })
    expect(response.status).toBe(200)
    const answers = (await response.text()).split('\n')
    expect(answers).toHaveLength(LINES + 1)
    for (const [i, line] of lines.entries()) {
      if (line.trim() === '') {
        expect(answers[i]).toBe('')
        continue
      }
      const kind = kindOf(JSON.parse(answers[i] ?? ''), i + 1)
      if (kind === undefined) throw new Error(`${line} is answered by ${answers[i]}`)
      counts[kind] = (counts[kind] ?? 0) + 1
    }
  }
  for (const kind of [...OUTCOMES, 'bad_input']) expect(counts[kind]).toBeGreaterThan(1000)
})

function kindOf(answer: Record<string, unknown>, line: number): string | undefined {
  const { result, reason, applied_rules: rules, error } = answer
  if (error === undefined) {
    const isWhole = typeof reason === 'string' && Array.isArray(rules)
    return isWhole ? OUTCOMES.find((outcome) => outcome === result) : undefined
  }
  const { code } = error as { readonly code: string }
  return answer.line === line && code === 'bad_input' ? code : undefined
}

test.each([
  ['/rest/mph', PAIRS, oddPair],
  ['/rest/mph/patient', PATIENTS, oddPatient],
])('%s answers %d bodies by 200 or 400', async (path, runs, make) => {
  const counts = { 200: 0, 400: 0 }
  const random = randomFrom(39, runs)
  for (let run = 0; run < runs; run++) {
    const body = make(random)
    const response = await world.ask(`POST ${path}`, { who: 'reader', body })
    if (response.status === 200) await successOf(response, 200)
    else await failureOf(response, 400, path)
    counts[response.status as 200 | 400]++
  }
  expect(counts[200]).toBeGreaterThan(runs / 10)
  expect(counts[400]).toBeGreaterThan(runs / 10)
})
