import { sharedState } from '../../../engine/shared-state.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { Commands, timeOf } from './publishing-commands.ts'
import { PublishingWorld } from './publishing-world.ts'

// Carries out the edits of a sequence in the given data folder, and prints the number of each edit once it is
// answered.

/** The number of steps after which it ends by itself, in case no test is left to end it. */
const MAX_STEPS = 5000

const [dataFolder = '', sequence = ''] = process.argv.slice(2)
const world = new PublishingWorld(sharedState({ dataFolder }))
const commands = new Commands(randomFrom(9, Number(sequence)))
for (let step = 0; step < MAX_STEPS; step++) {
  world.now = timeOf(step)
  await world.apply(commands.edit())
  await world.restamped()
  await told(`${step}\n`)
}

/** Resolves when the text is written; text queued in this process is lost with it. */
function told(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()))
}
