import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { emptyState } from '../../engine/shared-state.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { Commands, everything, IDS, timeOf } from './support/publishing-commands.ts'
import { type Outcome, PublishingModel } from './support/publishing-model.ts'
import { PublishingWorld } from './support/publishing-world.ts'

const SEQUENCES = 2000
const STEPS = 30
/** The number of sequences after which everything is compared. */
const READ_WHOLE = 8

/** The comparison is fast for equal values, the usual case. */
function expectSame(found: unknown, expected: unknown, label: () => string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, label()).toEqual(expected)
}

test('2,000 random sequences of edits and reads do what a simple model does', async () => {
  const counts = new Map<string, number>()
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const state = await emptyState()
    const world = new PublishingWorld(state)
    const model = new PublishingModel()
    const commands = new Commands(randomFrom(8, sequence))
    for (let step = 0; step < STEPS; step++) {
      const command = commands.next()
      world.now = timeOf(step)
      const label = () => `sequence ${sequence}, step ${step}: ${JSON.stringify(command)}`
      const outcome = model.apply(command, world.now)
      const { stored, ...expected } = { stored: undefined, ...outcome }
      expectSame(await world.apply(command), expected, label)
      if (stored) expectSame(await world.restamped(), withoutMade(stored), label)
      const kind = `${command.kind} ${outcomeOf(outcome)}`
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    if (sequence % READ_WHOLE === 0) {
      for (const command of everything()) {
        const label = () => `end of sequence ${sequence}: ${JSON.stringify(command)}`
        expectSame(await world.apply(command), model.apply(command, world.now), label)
      }
    }
    await state.close()
  }
  // If most commands were refused, the sequences would prove nothing.
  for (const kind of ['create', 'update', 'publish', 'reset', 'hide', 'unhide', 'load']) {
    expect(counts.get(`${kind} stored`), kind).toBeGreaterThan(100)
  }
  for (const kind of ['update', 'publish', 'reset', 'hide', 'unhide']) {
    expect(counts.get(`${kind} bad_input`), kind).toBeGreaterThan(100)
    expect(counts.get(`${kind} precondition_failed`), kind).toBeGreaterThan(100)
  }
})

function outcomeOf(outcome: Outcome): string {
  if ('failure' in outcome) return outcome.failure
  return outcome.stored?.size ? 'stored' : 'done'
}

function withoutMade(stored: ReadonlySet<string>): Set<string> {
  const known: readonly string[] = IDS
  return new Set([...stored].filter((id) => known.includes(id)))
}
