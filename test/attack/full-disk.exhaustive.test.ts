import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { collectGarbage } from '../collect-garbage.ts'
import { depth, isExhaustive } from '../depth.ts'
import type { ReleasingWorld } from '../submission/publish/support/world.ts'
import { FullDiskPlan, leftoversIn, type Step, saysFull } from './support/full-disk.ts'
import { Tmpfs } from './support/tmpfs.ts'

// A real disk becomes full in the middle of each kind of write.

const DISK_BYTES = 48 << 20
/** The number of amounts of free space to try with each step. */
const CUTS = depth(1, 1, 5)

const USUAL_STEPS = ['import bam', 'release', 'deletion', 'upload in parts'] as const
const OTHER_STEPS = [
  'import files',
  'import of a release',
  'submission',
  'upload in one body',
] as const
const STEPS = [...USUAL_STEPS, ...(isExhaustive ? OTHER_STEPS : [])]

describe.skipIf(!available.tmpfs)('a disk that becomes full', () => {
  let plan: FullDiskPlan
  beforeAll(async () => {
    plan = await FullDiskPlan.make()
  })
  afterAll(() => plan?.remove())

  function stepNamed(name: string): Step {
    const step = plan.steps().find((one) => one.name === name)
    if (!step) throw new Error(`no step ${name}`)
    return step
  }

  async function onDisk(use: (disk: Tmpfs, folder: string) => Promise<void>): Promise<void> {
    const disk = Tmpfs.mount(DISK_BYTES)
    try {
      const folder = join(disk.path, 'data')
      await plan.copyTo(folder)
      await use(disk, folder)
    } finally {
      // Each engine reserves address space for a release until the engine is collected. The collector sees no
      // cost in it, but a process with too much of it cannot fork.
      collectGarbage()
      disk.unmount()
    }
  }

  async function reads(world: ReleasingWorld) {
    const headers = { 'X-Auth-Token': plan.token }
    const query = { query: '{ case(first: 1) { id submitter_id } }' }
    const graphql = await world.ask('/submission/graphql', {
      method: 'POST',
      body: JSON.stringify(query),
      headers: { ...headers, 'Content-Type': 'application/json' },
    })
    const download = await world.ask(`/data/${plan.storedId}`, { headers })
    const found = await world.ask('/cases?size=1')
    const told = await graphql.text()
    await download.arrayBuffer()
    return [found.status, download.status, graphql.status, told.includes('submitter_id')]
  }
  const ANSWERED = [200, 200, 200, true]

  /** The peak of bytes that a step uses. */
  async function bytesOf(step: Step): Promise<number> {
    let most = 0
    await onDisk(async (disk, folder) => {
      const world = await plan.open(folder)
      const before = disk.freeBytes
      const look = () => {
        most = Math.max(most, before - disk.freeBytes)
      }
      const timer = setInterval(look, 1)
      await step.run(world)
      look()
      clearInterval(timer)
      await world.engine.submission.files.idle()
      expect(await step.isDone(world)).toBe(true)
      await world.close({ keep: true })
    })
    return most
  }

  async function tryWith(step: Step, bytes: number): Promise<void> {
    await onDisk(async (disk, folder) => {
      const context = `${step.name} with ${bytes} bytes`
      let world = await plan.open(folder)
      disk.leave(bytes)
      const failure = await step.run(world).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure !== undefined && !saysFull(failure)) throw new Error(context, { cause: failure })
      disk.leave(0)
      expect([context, ...(await reads(world))]).toEqual([context, ...ANSWERED])
      await world.close({ keep: true })

      disk.leave(0)
      world = await plan.open(folder)
      expect([context, ...(await reads(world))]).toEqual([context, ...ANSWERED])
      await world.close({ keep: true })

      disk.clear()
      world = await plan.open(folder)
      await world.engine.submission.files.idle()
      if (failure === undefined || !step.mayBeHalf) {
        expect([context, await step.isDone(world)]).toEqual([context, failure === undefined])
      }
      if (failure !== undefined) {
        await step.abort?.(world)
        expect([context, leftoversIn(folder)]).toEqual([context, []])
        await step.run(world)
        await world.engine.submission.files.idle()
        expect([context, await step.isDone(world)]).toEqual([context, true])
      }
      const found = []
      for await (const issue of world.engine.check()) found.push(issue)
      expect([context, found, leftoversIn(folder)]).toEqual([context, [], []])
      await world.close({ keep: true })
    })
  }

  test.each(STEPS)(
    'during %s: reading goes on, a start succeeds, nothing is left or lost',
    async (name) => {
      const step = stepNamed(name)
      const bytes = await bytesOf(step)
      expect(bytes).toBeGreaterThan(0)
      for (let cut = 0; cut < CUTS; cut++) {
        await tryWith(step, Math.floor((bytes * (cut + 0.5)) / CUTS))
      }
    },
  )
})
