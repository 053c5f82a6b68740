import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedState } from '../../engine/shared-state.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { depth } from '../depth.ts'
import { Commands, everything, timeOf } from './support/publishing-commands.ts'
import { PublishingModel } from './support/publishing-model.ts'
import { PublishingWorld } from './support/publishing-world.ts'

const EDITS = fileURLToPath(new URL('support/edit-publishing.ts', import.meta.url))
const SEQUENCES = depth(12, 50)
const AT_ONCE = 2

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-publishing-crash-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Makes a child process edit, kills it meanwhile, and returns the number of edits that it reported. */
async function editAndKill(path: string, sequence: number): Promise<number> {
  const random = randomFrom(10, sequence)
  const child = spawn(process.execPath, [EDITS, path, String(sequence)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const wanted = 1 + random.below(60)
  let told = ''
  let isDoomed = false
  for await (const chunk of child.stdout) {
    told += chunk
    if (isDoomed || told.split('\n').length <= wanted) continue
    isDoomed = true
    setTimeout(() => child.kill('SIGKILL'), random.unit() * 10)
  }
  expect(await ended).toEqual([null, 'SIGKILL'])
  return told.split('\n').length - 1
}

/** Everything that can be read, in the form of an area's or the model's answers. */
async function read(from: Pick<PublishingWorld, 'apply'> | PublishingModel): Promise<unknown[]> {
  const answers = []
  for (const command of everything()) answers.push(await from.apply(command, new Date(0)))
  return answers
}

async function proveSequence(sequence: number): Promise<void> {
  const path = join(folder, String(sequence))
  const acknowledged = await editAndKill(path, sequence)
  const state = sharedState({ dataFolder: path })
  const found = await read(new PublishingWorld(state))
  await state.close()
  const model = new PublishingModel()
  const commands = new Commands(randomFrom(9, sequence))
  for (let step = 0; step < acknowledged; step++) model.apply(commands.edit(), timeOf(step))
  const before = await read(model)
  // One further edit may have been made without being reported.
  model.apply(commands.edit(), timeOf(acknowledged))
  const after = await read(model)
  const label = `sequence ${sequence} after ${acknowledged} edits`
  expect([before, after], label).toContainEqual(found)
}

test('edits that were acknowledged outlive kill -9, and none is there by half', async () => {
  for (let sequence = 0; sequence < SEQUENCES; sequence += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, i) => proveSequence(sequence + i))
    await Promise.all(some)
  }
}, 900_000)
