import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { importCommons } from '../../../engine/commons/index.ts'
import type { EngineOptions } from '../../../engine/index.ts'
import { diskFull } from '../../../engine/shared/disk-space.ts'
import { EngineError } from '../../../engine/shared/errors.ts'
import { inlineExecutor, takeFolder } from '../../../engine/shared/index.ts'
import { UNWRITTEN } from '../../../engine/submission/transactions/answers.ts'
import { alignmentDocument, wholeCase } from '../../submission/publish/support/documents.ts'
import { STUDY, smallAlignment, submitStudy } from '../../submission/publish/support/small-study.ts'
import { md5Of, ReleasingWorld } from '../../submission/publish/support/world.ts'
import { someBytes } from '../../submission/support/file-service.ts'
import { AS_ADMIN } from '../../submission/support/service.ts'

const NEXT_STUDY = 'PRO-TWO'
const OPEN_STUDY = 'PRO-THREE'
const PART_BYTES = 300_000
const UPLOADED = someBytes(3 * PART_BYTES, 7)
const CREATED_AT = new Date(Date.UTC(2026, 3, 1))

/** A data folder in use whose copies are filled up, and the writes to try on them. */
export class FullDiskPlan {
  readonly #folder: string
  readonly #sources: string
  /** The id of a file entity whose bytes are not stored yet. */
  readonly fileId: string
  /** The id of a stored file. */
  readonly storedId: string
  readonly token: string

  private constructor(
    folder: string,
    sources: string,
    ids: { readonly fileId: string; readonly storedId: string; readonly token: string },
  ) {
    this.#folder = folder
    this.#sources = sources
    this.fileId = ids.fileId
    this.storedId = ids.storedId
    this.token = ids.token
  }

  static async make(): Promise<FullDiskPlan> {
    const world = await ReleasingWorld.open()
    const alignment = await smallAlignment()
    await world.register(STUDY)
    // A file that can be sliced has a block directory, which is tied to this file and not to a copy.
    const first = await submitStudy(world, Buffer.from('no alignment'))
    await world.handOver(STUDY)
    await world.engine.submission.releasing.release()
    await world.register(NEXT_STUDY)
    await submitStudy(world, alignment.bytes, NEXT_STUDY)
    await world.handOver(NEXT_STUDY)
    await world.register(OPEN_STUDY)
    const open = await world.submit(OPEN_STUDY, [
      ...wholeCase('C9', 'THREE'),
      alignmentDocument('C9_bam', 'C9_reads', 'uploaded.bam', UPLOADED),
    ])
    const { secret } = await world.engine.shared.tokens.create({ user: 'admin', admin: true })
    await world.close({ keep: true })
    const sources = await mkdtemp(join(tmpdir(), 'casemill-sources-'))
    await cp(alignment.path, join(sources, 'reads.bam'))
    await cp(`${alignment.path}.bai`, join(sources, 'reads.bam.bai'))
    await alignment.remove()
    const ids = {
      fileId: open.get('C9_bam') ?? '',
      storedId: first.get('C1_table') ?? '',
      token: secret,
    }
    const plan = new FullDiskPlan(world.folder, sources, ids)
    await plan.#writeSources()
    return plan
  }

  async #writeSources(): Promise<void> {
    const lines = ['id\tfilename\tmd5\tsize\tstate']
    for (let i = 0; i < 6; i++) {
      const bytes = someBytes(50_000 + i * 10_000, i + 1)
      await writeFile(join(this.#sources, `small-${i}.txt`), bytes)
      lines.push(
        [manifestId(i), `small-${i}.txt`, md5Of(bytes), bytes.length, 'released'].join('\t'),
      )
    }
    await writeFile(join(this.#sources, 'manifest.txt'), `${lines.join('\n')}\n`)
    const files = Array.from({ length: 2000 }, (_, i) => ({
      file_id: `f${i}`,
      file_name: `file-${i}.txt`,
      file_size: i,
      cases: [{ case_id: `c${i % 500}`, project: { project_id: 'IMP-1' } }],
    }))
    await writeFile(join(this.#sources, 'files.json'), JSON.stringify(files))
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true })
    await rm(this.#sources, { recursive: true })
  }

  /** The bytes of the file to upload. */
  get uploaded(): Buffer {
    return UPLOADED
  }

  source(name: string): string {
    return join(this.#sources, name)
  }

  /** The request that uploads the file. */
  uploadRequest() {
    return { ...AS_ADMIN, program: 'PRO', project: 'THREE', path: '', id: this.fileId }
  }

  /** Copies the data folder. */
  async copyTo(folder: string): Promise<void> {
    await promisify(execFile)('cp', ['-a', this.#folder, folder])
  }

  open(folder: string, options: Partial<EngineOptions> = {}): Promise<ReleasingWorld> {
    // A server locks its folder in the same way.
    takeFolder(folder)()
    return ReleasingWorld.open({ clock: () => CREATED_AT, ...options }, folder)
  }

  /** The operations to try on a disk that becomes full. */
  steps(): readonly Step[] {
    const source = (name: string) => this.source(name)
    const { fileId } = this
    const request = this.uploadRequest()
    const isUploaded = async (world: ReleasingWorld) =>
      (await world.engine.shared.files.find(fileId))?.md5 === md5Of(UPLOADED)
    return [
      {
        name: 'import bam',
        async run({ engine }) {
          const path = source('reads.bam')
          await engine.commons.importBam({ path, id: manifestId(90), access: 'controlled' })
        },
        isDone: async ({ engine }) =>
          (await engine.shared.files.find(manifestId(90))) !== undefined,
      },
      {
        name: 'import files',
        async run({ engine }) {
          const what = { manifest: source('manifest.txt'), from: source('.') }
          const { stored, issues } = await engine.commons.importFiles(what)
          if (stored !== 6 || issues > 0) throw new Error('not all files were stored')
        },
        isDone: async ({ engine }) => (await engine.shared.files.find(manifestId(5))) !== undefined,
      },
      {
        name: 'import of a release',
        async run({ folder: dataFolder }) {
          const sources = [source('files.json')]
          const clock = () => CREATED_AT
          await importCommons({ sources, dataFolder, executor: inlineExecutor, clock })
        },
        isDone: async (world) => (await world.status('/files/f1')) === 200,
      },
      {
        name: 'release',
        async run({ engine }) {
          await engine.submission.releasing.release()
        },
        async isDone(world) {
          const { releases } = world.engine.commons
          const isMarked = [...(await world.states(NEXT_STUDY)).values()].every((state) =>
            state.startsWith('released'),
          )
          return isMarked && (await releases.list()).length === 2
        },
        // Marks are written after the switch: the release served by then is complete, and the next run marks it.
        mayBeHalf: true,
      },
      {
        name: 'submission',
        async run(world) {
          await world.submit(OPEN_STUDY, manyCases())
        },
        async isDone(world) {
          const names = [...(await world.states(OPEN_STUDY)).keys()]
          const there = names.filter((name) => name.startsWith('many-')).length
          if (there !== 0 && there !== MANY_CASES) throw new Error(`${there} cases are there`)
          return there > 0
        },
      },
      {
        // A deletion is not rejected on a full disk, because it frees space.
        name: 'deletion',
        async run(world) {
          const states = await world.states(OPEN_STUDY)
          const ids = [...states.keys()].map((name) => name.split(' ')[1] ?? '')
          const answer = await world.engine.submission.transactions.delete({ ...request, ids })
          const { success, transactional_errors: told } = answer.body as Deleted
          if (told?.some(({ message }) => message === UNWRITTEN)) {
            throw diskFull('a transaction', undefined)
          }
          if (!success)
            throw new Error(`not deleted: ${JSON.stringify(answer.body).slice(0, 2000)}`)
        },
        isDone: async (world) => (await world.states(OPEN_STUDY)).size === 0,
      },
      {
        name: 'upload in one body',
        run: ({ engine }) => engine.submission.files.upload(request, bodyOf(UPLOADED)),
        isDone: isUploaded,
      },
      {
        name: 'upload in parts',
        async run({ engine }) {
          const files = engine.submission.files
          const uploadId = await files.initiate(request)
          const listed = []
          for (let number = 1; number <= 3; number++) {
            const bytes = UPLOADED.subarray((number - 1) * PART_BYTES, number * PART_BYTES)
            const part = { ...request, uploadId, partNumber: number }
            listed.push({ number, etag: await files.putPart(part, bodyOf(bytes)) })
          }
          await files.complete({ ...request, uploadId, listed })
        },
        isDone: isUploaded,
        async abort({ engine }) {
          // An upload in parts has to be ended by its client.
          await engine.submission.files.remove(request)
        },
      },
    ]
  }
}

interface Deleted {
  readonly success: boolean
  readonly transactional_errors?: readonly { readonly message: string }[]
}

export interface Step {
  readonly name: string
  run(world: ReleasingWorld): Promise<void>
  isDone(world: ReleasingWorld): Promise<boolean>
  readonly mayBeHalf?: boolean
  readonly abort?: (world: ReleasingWorld) => Promise<void>
}

const MANY_CASES = 300

function manyCases() {
  return Array.from({ length: MANY_CASES }, (_, i) => ({
    type: 'case',
    submitter_id: `many-${i}`,
    projects: { code: 'THREE' },
    disease_type: 'Adenomas and Adenocarcinomas',
    primary_site: 'Kidney',
    index_date: 'Diagnosis',
  }))
}

const manifestId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Yields the bytes in pieces, as from a client. */
export function bodyOf(bytes: Uint8Array) {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
  return { chunks: chunks(), announced: bytes.length }
}

/** Whether an error says that the disk is full and when to try again. */
export function saysFull(error: unknown): boolean {
  return (
    error instanceof EngineError &&
    error.code === 'unavailable' &&
    error.retryAfterSeconds !== undefined &&
    /room/.test(error.message)
  )
}

/** Names of files that unfinished operations have left in the folder. */
export function leftoversIn(folder: string): readonly string[] {
  const names = (name: string, isNone: (name: string) => boolean) => {
    try {
      return readdirSync(join(folder, name)).flatMap((each) =>
        isNone(each) ? [] : [join(name, each)],
      )
    } catch {
      return []
    }
  }
  return [
    ...names('uploads', (name) => name === 'place'),
    ...names('incoming', (name) => name === 'commons.lock'),
    // The file that names the previously served release stays there.
    ...names('releases', (name) => !name.startsWith('.') || name === '.before'),
    ...names('.', (name) => !/^(parquet|export)-/.test(name)),
  ]
}
