import { sharedState } from '../../../engine/shared-state.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { Commands, timeOf } from './publishing-commands.ts'
import { PublishingWorld } from './publishing-world.ts'

// Does the edits of a sequence in the data folder whose path is given, and says the number of each one
// once it is answered.

/** It ends by itself where nobody is left to end it. */
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

/** Whether it is on its way: what is only queued here dies with this process. */
function told(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve()))
}
