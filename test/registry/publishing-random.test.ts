import { expect, test } from 'vitest'
import { openState } from '../../engine/index.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { Commands, IDS, timeOf } from './support/publishing-commands.ts'
import { PublishingModel } from './support/publishing-model.ts'
import { PublishingWorld } from './support/publishing-world.ts'

const SEQUENCES = 2000
const STEPS = 30

test('2,000 random sequences of edits and reads do what a simple model does', async () => {
  const counts = new Map<string, number>()
  for (let sequence = 0; sequence < SEQUENCES; sequence++) {
    const state = openState(':memory:')
    const world = new PublishingWorld(state)
    const model = new PublishingModel()
    const commands = new Commands(randomFrom(8, sequence))
    for (let step = 0; step < STEPS; step++) {
      const command = commands.next()
      world.now = timeOf(step)
      const { stored, ...expected } = { stored: undefined, ...model.apply(command, world.now) }
      const label = `sequence ${sequence}, step ${step}: ${JSON.stringify(command)}`
      expect(await world.apply(command), label).toEqual(expected)
      if (stored) expect(world.restamped(), label).toEqual(withoutMade(stored))
      const kind = `${command.kind} ${'failure' in expected ? expected.failure : 'done'}`
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    state.close()
  }
  // Sequences that are mostly refused would prove nothing.
  for (const kind of ['create', 'update', 'publish', 'reset', 'hide', 'unhide', 'delete']) {
    expect(counts.get(`${kind} done`)).toBeGreaterThan(100)
    expect(counts.get(`${kind} bad_input`)).toBeGreaterThan(100)
  }
  expect(counts.get('update precondition_failed')).toBeGreaterThan(100)
}, 60_000)

function withoutMade(stored: ReadonlySet<string>): Set<string> {
  const known: readonly string[] = IDS
  return new Set([...stored].filter((id) => known.includes(id)))
}
