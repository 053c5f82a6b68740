import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../../engine/shared/database/database.ts'
import { EngineError } from '../../../engine/shared/errors.ts'
import type { EngineEvent } from '../../../engine/shared/events.ts'
import { WorkQueue } from '../../../engine/shared/work/work-queue.ts'
import type { TaskRun, WorkTimes } from '../../../engine/shared/work/worker.ts'
import { eventually } from '../../eventually.ts'
import { canRun, DIALECTS } from '../database/support/dialects.ts'
import { prepareState, type StateBed } from '../state/support/state-bed.ts'

const CHILD = join(import.meta.dirname, 'support/working-child.ts')

for (const dialect of DIALECTS) {
  describe.skipIf(!canRun(dialect))(`the queue of background work in ${dialect}`, () => {
    queueTests(prepareState(dialect))
  })
}

interface Opened {
  readonly queue: WorkQueue
  readonly events: EngineEvent[]
}

function queueTests(bed: StateBed): void {
  /** A queue as in a process, with a clock that tests set. */
  function open(
    times: Partial<WorkTimes> = {},
    database: Database = bed.database,
    more: { readonly clock?: () => Date; readonly place?: string } = {},
  ): Opened {
    const { clock = () => new Date(), place = 'here' } = more
    const events: EngineEvent[] = []
    const report = (event: EngineEvent) => events.push(event)
    const queue = new WorkQueue({ database, clock, report, place: async () => place, times })
    onTestFinished(() => queue.close())
    return { queue, events }
  }

  const enqueue = (queue: WorkQueue, names: readonly string[], priorities?: readonly number[]) =>
    bed.database.write(async (transaction) => {
      for (const [i, name] of names.entries()) {
        const options = { key: name, priority: priorities?.[i] ?? 0 }
        await queue.enqueue(transaction, 'slow', { name }, options)
      }
    })

  const states = async (queue: WorkQueue) =>
    (await queue.list(100)).map(({ state, attempts, error }) => ({ state, attempts, error }))

  test('while nothing fails each task is done once, by several workers', async () => {
    const done: string[] = []
    const others = [bed.another(), bed.another()]
    const queues = [bed.database, ...others].map((database) => open({}, database).queue)
    const names = Array.from({ length: 60 }, (_, i) => `t${i}`)
    await enqueue(queues[0]!, names)
    for (const queue of queues) {
      queue.work('slow', async ({ name = '' }) => {
        await new Promise((resolve) => setImmediate(resolve))
        done.push(name)
      })
      queue.start()
    }
    await eventually(async () => expect(await queues[0]!.list(100)).toEqual([]))
    expect(done.toSorted()).toEqual(names.toSorted())
  })

  test('what comes first is done first, but for its priority', async () => {
    const { queue } = open()
    await enqueue(queue, ['late', 'first', 'second', 'urgent'], [7, 0, 0, -1])
    const done: string[] = []
    queue.work('slow', async ({ name = '' }) => {
      done.push(name)
    })
    queue.start()
    await queue.idle()
    expect(done).toEqual(['urgent', 'first', 'second', 'late'])
  })

  test('a task is there with its transaction or not at all', async () => {
    const { queue } = open()
    const broken = bed.database.write(async (transaction) => {
      await queue.enqueue(transaction, 'slow', { name: 'a' }, { key: 'a' })
      throw new Error('the row that it belongs to is refused')
    })
    await expect(broken).rejects.toThrow('refused')
    expect(await queue.list(10)).toEqual([])
    await enqueue(queue, ['a'])
    expect(await states(queue)).toEqual([{ state: 'waiting', attempts: 0, error: null }])
  })

  test('what a process enqueues or leaves whose clock is ahead, is done by others at once', async () => {
    const ahead = () => new Date(Date.now() + 300_000)
    const { queue: early } = open({}, bed.another(), { clock: ahead })
    await enqueue(early, ['left', 'enqueued'])
    const taken = Promise.withResolvers<void>()
    early.work('slow', async (_, { signal }) => {
      taken.resolve()
      await once(signal, 'abort')
      signal.throwIfAborted()
    })
    early.start()
    await taken.promise
    await early.close()
    const done: string[] = []
    const { queue } = open()
    queue.work('slow', async ({ name = '' }) => {
      done.push(name)
    })
    queue.start()
    await queue.idle()
    expect(done).toEqual(['left', 'enqueued'])
  })

  test('under a key nothing is there twice', async () => {
    const { queue } = open()
    const add = (kind: string, key: string, place?: string) =>
      bed.database.write((transaction) =>
        queue.enqueue(transaction, kind, {}, { key, ...(place ? { place } : {}) }),
      )
    const adds = [add('slow', 'a'), add('slow', 'a'), add('slow', 'b'), add('other', 'a')]
    expect(await Promise.all([...adds, add('slow', 'a', 'here')])).toEqual([
      ...[true, false, true, true, true],
    ])
    expect(await queue.list(10)).toHaveLength(4)
  })

  test('what fails waits longer each time, and fails for good at last', async () => {
    let now = Date.parse('2026-11-23T10:00:00Z')
    const { queue, events } = open({ retryMilliseconds: 10_000, maxAttempts: 3 }, bed.database, {
      clock: () => new Date(now),
    })
    const tries: number[] = []
    queue.work('slow', async (_, { attempt }: TaskRun) => {
      tries.push(attempt)
      throw new EngineError('unavailable', 'the file of case 7 is away')
    })
    await enqueue(queue, ['a'])
    queue.start()
    await queue.idle()
    expect(tries).toEqual([1])
    now += 9999
    await queue.idle()
    expect(tries).toEqual([1])
    now += 1
    await queue.idle()
    expect(tries).toEqual([1, 2])
    now += 19_999
    await queue.idle()
    expect(tries).toEqual([1, 2])
    now += 1
    await queue.idle()
    now += 24 * 3600_000
    await queue.idle()
    expect(tries).toEqual([1, 2, 3])
    expect(await states(queue)).toEqual([{ state: 'failed', attempts: 3, error: 'unavailable' }])
    expect(JSON.stringify(await queue.list(10))).not.toContain('case 7')
    expect(events.map(({ level }) => level)).toEqual(['warn', 'warn', 'error'])

    // The same task is not started again, but another one with its key is.
    const again = (name: string) =>
      bed.database.write((transaction) =>
        queue.enqueue(transaction, 'slow', { name }, { key: 'a' }),
      )
    expect(await again('a')).toBe(false)
    expect(await again('another')).toBe(true)
    expect(await states(queue)).toEqual([{ state: 'waiting', attempts: 0, error: null }])
  })

  test('what no other try can do is tried once, and again when it is asked for', async () => {
    const { queue } = open()
    let tries = 0
    queue.work('slow', async () => {
      tries++
      throw new EngineError('corrupt_source', 'block at byte 0 does not inflate')
    })
    await enqueue(queue, ['a'])
    queue.start()
    await queue.idle()
    expect(await states(queue)).toEqual([{ state: 'failed', attempts: 1, error: 'corrupt_source' }])
    expect(await queue.loads()).toEqual([
      { kind: 'slow', waiting: 0, running: 0, failed: 1, oldest: null },
    ])
    expect(await queue.retry('other')).toBe(0)
    expect(await queue.retry('slow')).toBe(1)
    await queue.idle()
    expect(tries).toBe(2)
  })

  test('a worker that stops gives its task back, as if it had not begun', async () => {
    const { queue } = open()
    const begun = Promise.withResolvers<void>()
    queue.work('slow', async (_, { signal, progress }) => {
      progress(0.5)
      begun.resolve()
      await once(signal, 'abort')
      throw signal.reason
    })
    await enqueue(queue, ['a'])
    queue.start()
    await begun.promise
    expect(await states(queue)).toEqual([{ state: 'running', attempts: 1, error: null }])
    await queue.close()
    const { queue: next } = open()
    expect(await states(next)).toEqual([{ state: 'waiting', attempts: 0, error: null }])
  })

  test('work on the bytes of a folder is done where that is, and nowhere else', async () => {
    const done: string[] = []
    const gone: string[] = []
    const there = open({}, bed.another(), { place: 'there' }).queue
    const here = open({}, bed.database, { place: 'here' }).queue
    for (const [name, queue] of Object.entries({ there, here })) {
      queue.work('slow', async () => {
        done.push(name)
      })
    }
    here.want('slow', {}, { key: 'a', isLocal: true }, () => gone.push('a'))
    await here.idle()
    there.start()
    await there.idle()
    expect(done).toEqual([])
    here.start()
    await here.idle()
    expect([done, gone]).toEqual([['here'], ['a']])
  })

  test('who wants something hears when another process has done it', async () => {
    const gone: string[] = []
    const { queue } = open({ lookMilliseconds: 5 })
    for (const key of ['a', 'a', 'b']) {
      queue.want('slow', {}, { key, isLocal: false }, () => gone.push(key))
    }
    await queue.idle()
    expect(await queue.list(10)).toHaveLength(2)
    expect(gone).toEqual([])
    const other = open({}, bed.another()).queue
    other.work('slow', async () => {})
    other.start()
    await eventually(() => expect(gone.toSorted()).toEqual(['a', 'b']))
  })

  test('who lost a task is told so, and does not end it for another', async () => {
    const { queue } = open({ beatMilliseconds: 5 })
    const lost = Promise.withResolvers<void>()
    queue.work('slow', async (_, { signal }) => {
      const taken = `UPDATE work_tasks SET holder = 'another'`
      await bed.database.write((transaction) => transaction.run(taken))
      await once(signal, 'abort')
      lost.resolve()
    })
    await enqueue(queue, ['a'])
    queue.start()
    await lost.promise
    await queue.close()
    expect(await states(open().queue)).toEqual([{ state: 'running', attempts: 1, error: null }])
  })

  /** Starts a process that works on a task; returns the task's name. */
  async function child(): Promise<{ readonly process: ChildProcess; readonly first: string }> {
    const { dataFolder, stateUrl = '' } = bed.place
    const args = [CHILD, dataFolder, stateUrl, '20']
    const started = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => {
      started.kill('SIGKILL')
    })
    const [first] = await once(createInterface(started.stdout), 'line')
    return { process: started, first: String(first) }
  }

  test('the task of a process that was killed is done by another one', async () => {
    const times = { lookMilliseconds: 20, beatMilliseconds: 50, lostMilliseconds: 1000 }
    const { queue, events } = open(times)
    await enqueue(queue, ['a'])
    const { process, first } = await child()
    expect(first).toBe('a')
    process.kill('SIGKILL')
    await once(process, 'exit')
    expect(await states(queue)).toEqual([{ state: 'running', attempts: 1, error: null }])
    const attempts: number[] = []
    queue.work('slow', async (_, { attempt }) => {
      attempts.push(attempt)
    })
    queue.start()
    await eventually(async () => expect(await queue.list(10)).toEqual([]))
    expect(attempts).toEqual([2])
    expect(events.map(({ level }) => level)).toEqual(['warn'])
  })

  test('a task that ends the processes that try it fails for good', async () => {
    const times = { lookMilliseconds: 20, lostMilliseconds: 100, maxAttempts: 1 }
    const { queue } = open(times)
    await enqueue(queue, ['a'])
    const { process } = await child()
    process.kill('SIGKILL')
    await once(process, 'exit')
    queue.work('slow', async () => expect.unreachable())
    queue.start()
    await eventually(async () =>
      expect(await states(queue)).toEqual([{ state: 'failed', attempts: 1, error: 'lost' }]),
    )
  })

  test('a process that is told to stop leaves its task to others at once', async () => {
    const { queue } = open()
    await enqueue(queue, ['a'])
    const { process } = await child()
    process.kill('SIGTERM')
    await once(process, 'exit')
    expect(await states(queue)).toEqual([{ state: 'waiting', attempts: 0, error: null }])
  })
}
