import { openState } from '../../../engine/shared/catalogue/state.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { Commands, timeOf } from './publishing-commands.ts'
import { PublishingWorld } from './publishing-world.ts'

// Does the edits of a sequence in the state whose path is given, and says the number of each one
// once it is answered.

/** It ends by itself where nobody is left to end it. */
const MAX_STEPS = 5000

const [path = '', sequence = ''] = process.argv.slice(2)
const world = new PublishingWorld(openState(path))
const commands = new Commands(randomFrom(9, Number(sequence)))
for (let step = 0; step < MAX_STEPS; step++) {
  world.now = timeOf(step)
  await world.apply(commands.edit())
  world.restamped()
  process.stdout.write(`${step}\n`)
}
