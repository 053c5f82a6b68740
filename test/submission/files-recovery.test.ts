import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BlobStores } from '../../engine/shared/blobs/blob-stores.ts'
import { FolderStore } from '../../engine/shared/blobs/folder-store.ts'
import { FileCatalogue } from '../../engine/shared/catalogue/files.ts'
import type { Database } from '../../engine/shared/database/database.ts'
import { databasePath, openDatabase } from '../../engine/shared/database/open.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { sharedState } from '../../engine/shared-state.ts'
import {
  SubmissionFiles,
  type SubmissionFilesOptions,
} from '../../engine/submission/files/submission-files.ts'
import { SUBMISSION_FILE_TABLES } from '../../engine/submission/files/tables.ts'
import { SUBMISSION_TABLES } from '../../engine/submission/transactions/store/tables.ts'
import { Submission } from '../../engine/submission/transactions/submission.ts'
import { startSqliteThread } from '../../workers/sqlite-thread.ts'
import { addFile, fileStateOf, md5Of, registerProject, someBytes } from './support/file-service.ts'
import { AS_ADMIN, MadeSubmission } from './support/service.ts'

// Abandoned uploads, full disks, and servers that share a database.

const BYTES = someBytes(100_000)
const DAY = 86_400_000
const START = Date.parse('2026-05-01T00:00:00Z')

const root = mkdtempSync(join(tmpdir(), 'casemill-recovery-'))
const dictionary = { current: () => MadeSubmission.dictionary() }
const state = sharedState({ dataFolder: root })
let database: Database
let submission: Submission
beforeAll(async () => {
  database = await openDatabase({ path: databasePath(root), startThread: startSqliteThread }, [
    ...[SUBMISSION_TABLES, SUBMISSION_FILE_TABLES],
  ])
  submission = new Submission({ database, dictionary })
  await registerProject(submission)
})
afterAll(async () => {
  await submission.close()
  await database.close()
  await state.close()
  rmSync(root, { recursive: true })
})

/** A separate server with the same database. */
function service(folder: string, options: Partial<SubmissionFilesOptions> = {}) {
  return new SubmissionFiles({
    database,
    dictionary,
    files: new FileCatalogue(state),
    executor: inlineExecutor,
    boundedExecutor: inlineExecutor,
    blobs: new BlobStores(new FolderStore(join(root, 'files'))),
    folder: join(root, folder),
    ...options,
  })
}

const add = (name: string) => addFile(database, { name, bytes: BYTES })
const stateOf = (id: string) => fileStateOf(database, id)
const at = (id: string) => ({ ...AS_ADMIN, program: 'GDC', project: 'MISC', path: '', id })

async function* bodyOf(...pieces: readonly Uint8Array[]) {
  for (const piece of pieces) yield piece
}
const body = (bytes: Uint8Array = BYTES) => ({ chunks: bodyOf(bytes) })

/** A body that pauses in the middle until the test resumes it. */
function slowBody() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  async function* chunks() {
    yield BYTES.subarray(0, 10)
    await promise
    yield BYTES.subarray(10)
  }
  return { body: { chunks: chunks() }, goOn: resolve, breakOff: reject }
}

test('an upload that nobody goes on with is dropped after a week', async () => {
  let now = START
  const files = service('stale', { clock: () => new Date(now) })
  await files.start({ isAlone: true })
  const id = await add('stale.bam')
  const uploadId = await files.initiate(at(id))
  await files.putPart({ ...at(id), uploadId, partNumber: 1 }, body())
  now += 6 * DAY
  await files.putPart({ ...at(id), uploadId, partNumber: 2 }, body())
  now += 6 * DAY
  await files.sweep()
  expect(await stateOf(id)).toBe('uploading')
  now += 2 * DAY
  await files.sweep()
  expect(await stateOf(id)).toBe('registered')
  expect(readdirSync(join(root, 'stale'))).toEqual(['place'])
  await files.close()
})

test('folders and files that belong to no upload are removed, others stay', async () => {
  let now = Date.now()
  const files = service('orphans', { clock: () => new Date(now) })
  await files.start({ isAlone: true })
  const id = await add('orphans.bam')
  const uploadId = await files.initiate(at(id))
  const tag = await files.putPart({ ...at(id), uploadId, partNumber: 1 }, body())
  const folder = join(root, 'orphans')
  mkdirSync(join(folder, crypto.randomUUID()))
  writeFileSync(join(folder, uploadId, '2-left-behind'), 'x')
  mkdirSync(join(folder, 'a folder of somebody'))
  await files.sweep()
  expect(readdirSync(folder).sort()).toEqual([uploadId, 'a folder of somebody', 'place'].sort())
  // The second file may be one that is being written.
  expect(readdirSync(join(folder, uploadId))).toHaveLength(2)
  now += 2 * DAY
  await files.sweep()
  expect(readdirSync(join(folder, uploadId))).toHaveLength(1)
  await files.complete({ ...at(id), uploadId, listed: [{ number: 1, etag: tag }] })
  await files.idle()
  expect(await stateOf(id)).toBe('validated')
  await files.close()
})

test('there are only so many uploads of one file, and bodies at the same time', async () => {
  const files = service('limits', { limits: { bodies: 1, openUploads: 2 } })
  await files.start({ isAlone: true })
  const id = await add('limits.bam')
  const uploadId = await files.initiate(at(id))
  await files.initiate(at(id))
  await expect(files.initiate(at(id))).rejects.toMatchObject({ code: 'too_many' })
  const slow = slowBody()
  const part = files.putPart({ ...at(id), uploadId, partNumber: 1 }, slow.body)
  const other = files.putPart({ ...at(id), uploadId, partNumber: 2 }, body())
  await expect(other).rejects.toMatchObject({ code: 'busy' })
  slow.goOn()
  expect(await part).toBe(md5Of(BYTES))
  await files.remove(at(id))
  expect(await stateOf(id)).toBe('registered')
  await files.close()
})

/** A file that accepts some bytes and then reports a full disk. */
async function fullAfter(path: string, bytes: number): Promise<FileHandle> {
  const file = await open(path, 'wx')
  const write = file.write.bind(file) as (...given: unknown[]) => Promise<{ bytesWritten: number }>
  let left = bytes
  const limited = async (buffer: Uint8Array, offset: number, length: number, position: number) => {
    if (left === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    const written = await write(buffer, offset, Math.min(length, left), position)
    left -= written.bytesWritten
    return written
  }
  return Object.assign(file, { write: limited as unknown as FileHandle['write'] })
}

test('when the disk is full nothing is kept, and what was there before stays', async () => {
  let target = 10_000
  const files = service('full', { openNew: (path) => fullAfter(path, target) })
  await files.start({ isAlone: true })
  const id = await add('full.bam')
  const full = { code: 'unavailable', message: expect.stringContaining('is full') }
  await expect(files.upload(at(id), body())).rejects.toMatchObject(full)
  expect(await stateOf(id)).toBe('registered')
  expect(readdirSync(join(root, 'full'))).toEqual(['place'])
  const uploadId = await files.initiate(at(id))
  target = BYTES.length
  const part = { ...at(id), uploadId, partNumber: 1 }
  const tag = await files.putPart(part, body())
  target = 1
  await expect(files.putPart(part, body())).rejects.toMatchObject(full)
  expect(await files.parts({ ...at(id), uploadId })).toMatchObject([{ number: 1, md5: tag }])
  expect(readdirSync(join(root, 'full', uploadId))).toHaveLength(1)
  await files.complete({ ...at(id), uploadId, listed: [{ number: 1, etag: `"${tag}"` }] })
  await files.idle()
  expect(await stateOf(id)).toBe('validated')
  await files.close()
})

test('a body is told when it is given up, deleted or overtaken while it arrives', async () => {
  const files = service('overtaken')
  await files.start({ isAlone: true })
  const givenUp = { code: 'conflict', message: expect.stringContaining('cancelled or replaced') }
  const id = await add('overtaken.bam')
  const deleted = slowBody()
  const first = files.upload(at(id), deleted.body)
  await expect.poll(() => stateOf(id)).toBe('uploading')
  await files.remove(at(id))
  deleted.goOn()
  await expect(first).rejects.toMatchObject(givenUp)
  expect(await stateOf(id)).toBe('registered')

  const uploadId = await files.initiate(at(id))
  const aborted = slowBody()
  const part = files.putPart({ ...at(id), uploadId, partNumber: 1 }, aborted.body)
  await expect.poll(() => readdirSync(join(root, 'overtaken')).length).toBe(2)
  await files.abort({ ...at(id), uploadId })
  aborted.goOn()
  await expect(part).rejects.toMatchObject(givenUp)

  const overtaken = slowBody()
  const whole = files.upload(at(id), overtaken.body)
  await expect.poll(() => stateOf(id)).toBe('uploading')
  const other = { ...at(id), uploadId: await files.initiate(at(id)) }
  const etag = await files.putPart({ ...other, partNumber: 1 }, body())
  await files.complete({ ...other, listed: [{ number: 1, etag }] })
  overtaken.goOn()
  await expect(whole).rejects.toMatchObject(givenUp)
  await files.idle()
  expect(await stateOf(id)).toBe('validated')
  expect(readdirSync(join(root, 'overtaken'))).toEqual(['place'])
  await files.close()
})

test('of servers that share a database each takes up what died with another', async () => {
  let now = 0
  const clock = { now: () => now }
  const [dead, living] = [service('one', clock), service('two', clock)]
  await dead.start({ isAlone: false })
  await living.start({ isAlone: false })
  const [half, whole] = [await add('half.bam'), await add('whole.bam')]
  const slow = slowBody()
  const ended = dead.upload(at(half), slow.body)
  await expect.poll(() => stateOf(half)).toBe('uploading')
  await expect(living.upload(at(half), body())).rejects.toMatchObject({ code: 'conflict' })

  const uploadId = await dead.initiate(at(whole))
  const tag = await dead.putPart({ ...at(whole), uploadId, partNumber: 1 }, body())
  const there = { ...at(whole), uploadId }
  expect(await living.parts(there)).toMatchObject([{ number: 1 }])
  const elsewhere = { code: 'conflict', message: expect.stringContaining('another data folder') }
  const again = living.putPart({ ...there, partNumber: 2 }, body())
  await expect(again).rejects.toMatchObject(elsewhere)
  const listed = [{ number: 1, etag: tag }]
  await expect(living.complete({ ...there, listed })).rejects.toMatchObject(elsewhere)

  // From here on, only the other server sends heartbeats.
  for (const later of [0, 50_000, 61_000]) {
    now = later
    await living.beat()
  }
  expect(await stateOf(half)).toBe('registered')
  slow.goOn()
  await expect(ended).rejects.toMatchObject({ code: 'conflict' })
  await living.upload(at(half), body())
  await living.idle()
  expect(await stateOf(half)).toBe('validated')

  // Another process uses the same folder and continues with its files.
  const next = service('one', clock)
  await next.start({ isAlone: false })
  await next.complete({ ...there, listed })
  await next.idle()
  expect(await stateOf(whole)).toBe('validated')
  expect(readdirSync(join(root, 'one'))).toEqual(['place'])
  for (const one of [dead, living, next]) await one.close()
})

test('bytes that are found good after their project was submitted are submitted', async () => {
  const files = service('handed')
  await files.start({ isAlone: true })
  const id = await add('handed.bam')
  // The project's state is that of a version that did not check files.
  await database.write((transaction) =>
    transaction.run("UPDATE submission_entities SET state = 'submitted' WHERE id = ?", [id]),
  )
  await files.upload(at(id), body())
  await files.idle()
  await expect.poll(() => stateOf(id)).toBe('submitted')
  const refused = files.remove({ ...at(id) })
  await expect(refused).rejects.toMatchObject({ code: 'bad_input' })
  await files.close()
})
