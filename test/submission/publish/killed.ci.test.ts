import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tableDocument } from './support/documents.ts'
import { STUDY, submitStudy, tableText } from './support/small-study.ts'
import { ReleasingWorld } from './support/world.ts'

let world: ReleasingWorld
beforeEach(async () => {
  world = await ReleasingWorld.open()
})
afterEach(() => world.close())

const CHILD = fileURLToPath(new URL('support/release-until.ts', import.meta.url))

/** Makes another process release until it kills itself. */
async function releaseUntil(moment: string): Promise<void> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, [CHILD, world.folder, moment], { stdio: [...stdio] })
  const [code, signal] = await once(child, 'exit')
  expect([moment, code, signal]).toEqual([moment, null, 'SIGKILL'])
}

/** The moments before the switch, in order; the former release is served then. */
const BEFORE = ['building', 'built']
const AFTER = ['switched', 'opened']

test('killed at any moment, the old or the new release is served, and the next run completes', async () => {
  await world.register(STUDY)
  await submitStudy(world, Buffer.from('no alignment'))
  await world.handOver(STUDY)
  await world.engine.submission.releasing.release()
  const text = tableText('7.0000', '8.0000')
  const changed = await world.submit(
    STUDY,
    [tableDocument('C1_table', 'C1_reads', 'c1.tsv', text)],
    'put',
  )
  const next = changed.get('C1_table') ?? ''
  await world.deliver(next, STUDY, 'c1.tsv', text)
  await world.handOver(STUDY)
  const { releases } = world.engine.commons
  const old = await releases.current()
  const before = { project: await world.project(STUDY), states: await world.states(STUDY) }

  for (const moment of BEFORE) {
    await releaseUntil(moment)
    expect([moment, await releases.current()]).toEqual([moment, old])
    expect(await world.states(STUDY)).toEqual(before.states)
    expect(await world.status(`/files/${next}`)).toBe(404)
    // The file is not released yet, so strangers get a 404.
    expect(await world.status(`/data/${next}`)).toBe(404)
  }
  for (const moment of AFTER) {
    await releaseUntil(moment)
    expect([moment, await releases.current()]).not.toEqual([moment, old])
    expect(await world.states(STUDY)).toEqual(before.states)
    expect(await world.project(STUDY)).toEqual(before.project)
    expect(await world.status(`/data/${next}`)).toBe(200)
  }
  const served = await releases.current()
  await releaseUntil('marked')
  expect(await world.project(STUDY)).toEqual({ state: 'open', releasable: 1, released: 0 })
  expect(new Set((await world.states(STUDY)).values())).toEqual(
    new Set(['released', 'released released']),
  )
  expect(await world.engine.submission.releasing.release()).toMatchObject({
    projects: [],
    unchanged: [],
  })
  expect(await releases.current()).toBe(served)
  expect(await world.get(`/history/${next}`)).toHaveLength(2)
  // A release that was built but never served is left; it has the number of the served one.
  expect(await releases.names()).toHaveLength(3)
  expect(
    (await readdir(join(world.folder, 'releases'))).filter((name) => name.startsWith('.building')),
  ).toEqual([])
})
