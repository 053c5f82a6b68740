import { describe, expect, test, vi } from 'vitest'
import type { OpenBlob } from '../../../engine/shared/blobs/blob.ts'
import { FileCatalogue, type StoredFile } from '../../../engine/shared/catalogue/files.ts'
import { STATE_TABLES } from '../../../engine/shared/catalogue/state-tables.ts'
import type { Database } from '../../../engine/shared/database/database.ts'
import { EngineError } from '../../../engine/shared/errors.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { CheckStore } from '../../../engine/shared/integrity/check-store.ts'
import { Integrity } from '../../../engine/shared/integrity/integrity.ts'
import { Scrub } from '../../../engine/shared/integrity/scrub.ts'
import { ScrubStore } from '../../../engine/shared/integrity/scrub-store.ts'
import { canRun, DIALECTS, prepareBed } from '../../shared/database/support/dialects.ts'
import { idOf, md5Of, someBytes } from '../contract/support/download-records.ts'

const NAMES = ['1', '2', '3', '4', '5', '6']
const DAMAGED = idOf(3)
const bytesOf = (id: string) => someBytes(500 + Number(id.at(-1)), 7)

const fileOf = (id: string): StoredFile => ({
  id,
  fileName: 'a',
  size: bytesOf(id).length,
  md5: md5Of(bytesOf(id)),
  dataFormat: null,
  access: 'open',
  acl: [],
  partOf: null,
  indexName: null,
  storage: 'folder',
  linkedModified: null,
  createdAt: '2026-01-02T03:04:05.000Z',
})

/** Bytes in memory; those of one file are wrong. */
function blobOf({ id }: StoredFile): OpenBlob {
  const bytes = bytesOf(id)
  if (id === DAMAGED) bytes.writeUInt8(bytes.readUInt8(9) ^ 1, 9)
  return {
    identity: { size: bytes.length, modified: '0', inode: '1' },
    readBytes: 100,
    isLocal: true,
    read: async (into, at) => bytes.copy(into, 0, at),
    run: () => Promise.reject(new Error('no jobs are run over these')),
    close: async () => {},
  }
}

interface Bench {
  readonly scrub: Scrub
  /** The ids of the files that were opened. */
  readonly opened: string[]
  readonly checks: CheckStore
  readonly store: ScrubStore
  /** Resolves when the file that blocks the pass was requested. */
  readonly stuck: Promise<void>
}

interface Setting {
  /** The id of a file whose opening never ends by itself. */
  readonly stuckAt?: string
  readonly isAlone?: boolean
  readonly lookMilliseconds?: number
  readonly now?: () => Date
}

function scrubOver(database: Database, setting: Setting = {}): Bench {
  const { stuckAt, isAlone = true, lookMilliseconds, now = () => new Date() } = setting
  const opened: string[] = []
  const stuck = Promise.withResolvers<void>()
  const never = Promise.withResolvers<OpenBlob>()
  never.promise.catch(() => {})
  const checks = new CheckStore(database, now)
  const store = new ScrubStore(database)
  const integrity = new Integrity({
    checks,
    executor: inlineExecutor,
    onDamage: () => {},
    onError: (_, cause) => expect.fail(String(cause)),
  })
  const scrub = new Scrub(
    {
      files: new FileCatalogue(database),
      checks,
      store,
      integrity,
      clock: now,
      open: (file) => {
        opened.push(file.id)
        if (file.id !== stuckAt) return Promise.resolve(blobOf(file))
        stuck.resolve()
        return never.promise
      },
      onError: (cause) => expect.fail(String(cause)),
    },
    { bytesPerSecond: 1e12, isAlone, ...(lookMilliseconds ? { lookMilliseconds } : {}) },
  )
  const close = scrub.close.bind(scrub)
  scrub.close = () => {
    never.reject(new EngineError('unavailable', 'the test is over'))
    return close()
  }
  return { scrub, opened, checks, store, stuck: stuck.promise }
}

async function isFinished({ store }: Bench): Promise<void> {
  const look = async () => expect((await store.read()).finishedAt).not.toBeNull()
  await vi.waitFor(look, { timeout: 60_000 })
}

describe.each(DIALECTS)('%s', (dialect) => {
  describe.runIf(canRun(dialect))('a scrub', () => {
    const bed = prepareBed(dialect)
    async function filled(): Promise<Database> {
      const database = await bed.open(await bed.place(), [STATE_TABLES])
      await new FileCatalogue(database).addAll(NAMES.map((name) => fileOf(idOf(Number(name)))))
      return database
    }
    const ids = NAMES.map((name) => idOf(Number(name)))

    test('looks at every file and remembers the damaged one', async () => {
      const bench = scrubOver(await filled())
      bench.scrub.start()
      await isFinished(bench)
      await bench.scrub.close()
      expect(bench.opened).toEqual(ids)
      expect(await bench.checks.damaged()).toMatchObject([
        { id: DAMAGED, problem: expect.stringContaining(md5Of(bytesOf(DAMAGED))) },
      ])
    })

    test('that was ended goes on where it was written down how far it is', async () => {
      const database = await filled()
      const first = scrubOver(database, { stuckAt: idOf(5) })
      first.scrub.start()
      await first.stuck
      await first.scrub.close()
      expect(first.opened).toEqual(ids.slice(0, 5))
      const second = scrubOver(database)
      second.scrub.start()
      await isFinished(second)
      await second.scrub.close()
      // The progress was recorded together with the damaged file.
      expect(second.opened).toEqual(ids.slice(3))
      expect(second.scrub.load().scrubbedFiles).toBe(6)
    })

    test('is left to the server that is at it, and taken over from one that is gone', async () => {
      const database = await filled()
      const first = scrubOver(database, { stuckAt: idOf(5), isAlone: false })
      first.scrub.start()
      await first.stuck
      const patient = scrubOver(database, { isAlone: false })
      patient.scrub.start()
      await patient.scrub.close()
      expect(patient.opened).toEqual([])
      const eager = scrubOver(database, { isAlone: false, lookMilliseconds: 20 })
      eager.scrub.start()
      await isFinished(eager)
      await eager.scrub.close()
      expect(eager.opened).toEqual(ids.slice(3))
      await first.scrub.close()
      // The first process has lost the pass and overwrites nothing.
      expect(await first.store.read()).toMatchObject({ startedAt: null, lastId: '', files: 6 })
    })

    test('begins again a day after it was over, and not before', async () => {
      const database = await filled()
      const at = (text: string) => ({ now: () => new Date(text) })
      const first = scrubOver(database, at('2026-03-01T00:00:00Z'))
      first.scrub.start()
      await isFinished(first)
      await first.scrub.close()
      const early = scrubOver(database, at('2026-03-01T23:59:59Z'))
      early.scrub.start()
      await early.scrub.close()
      expect(early.opened).toEqual([])
      const due = scrubOver(database, { ...at('2026-03-02T00:00:00Z'), stuckAt: idOf(1) })
      due.scrub.start()
      await due.stuck
      await due.scrub.close()
      expect(due.opened).toEqual([idOf(1)])
    })

    test('keeps nothing of a file that was replaced or removed meanwhile', async () => {
      const database = await filled()
      const { checks } = scrubOver(database)
      const old = { id: idOf(1), md5: md5Of(Buffer.from('old')) }
      const gone = { id: idOf(99), md5: md5Of(Buffer.from('gone')) }
      await checks.record([old, gone].map((file) => ({ file, problem: 'is damaged' })))
      expect(await checks.damaged()).toEqual([])
      const file = fileOf(idOf(1))
      await checks.record([{ file, checksum: 2 ** 32 - 1 }])
      await checks.record([{ file, problem: 'is damaged' }])
      expect(await checks.damaged()).toHaveLength(1)
      expect(await checks.checksum(file)).toBe(2 ** 32 - 1)
      await new FileCatalogue(database).remove(file.id)
      expect(await checks.damaged()).toEqual([])
      expect(await checks.checksum(file)).toBeUndefined()
    })
  })
})
