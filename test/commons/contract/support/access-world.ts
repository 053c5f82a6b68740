import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { buildRelease } from '../../../../engine/commons/release/build.ts'
import { Releases } from '../../../../engine/commons/release/releases.ts'
import type { Engine } from '../../../../engine/index.ts'
import { inlineExecutor } from '../../../../engine/shared/index.ts'
import type { StatePlace } from '../../../../engine/shared-state.ts'
import { makeBam } from '../../../../fixtures/bam/make-bam.ts'
import { readConfig } from '../../../../server/config.ts'
import { startServer } from '../../../../server/main.ts'
import { openEngine, placesOf } from '../../../places.ts'
import { documentsOf, json } from '../../import/support/documents.ts'
import { keptLog } from '../fake-engine.ts'
import {
  accessRecords,
  FILE_NAMES,
  type FileName,
  fileOf,
  WILD_NAMES,
  wildId,
} from './access-records.ts'

/** A text in every file that must not be read, inside the data folder and outside. */
export const OUTSIDE_MARK = 'Kx9-planted-where-nobody-may-look'

export interface World extends AsyncDisposable {
  readonly engine: Engine
  readonly address: string
  /** The place of the state, for another process. */
  readonly place: StatePlace
  /** The bytes of each file, including those that are not stored. */
  readonly bytes: ReadonlyMap<FileName, Buffer>
  /** The lines of the log at its most verbose level. */
  readonly lines: string[]
  /** The time of the engine's clock. */
  readonly clock: { now: number }
}

/** A real server over the files of access-records.ts. */
export async function startWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-access-'))
  const dataFolder = join(folder, 'data')
  const bytes = await makeBytes(folder)
  const spoken = new Map(Array.from(bytes, ([name, content]) => [name, factsOf(content)]))
  await makeRelease(folder, dataFolder, accessRecords(spoken, WILD_BYTES.map(factsOf)))
  const clock = { now: Date.parse('2026-01-01T00:00:00.000Z') }
  const now = () => new Date(clock.now)
  const engine = await openEngine({ dataFolder, executor: inlineExecutor, clock: now })
  for (const name of FILE_NAMES) await store(engine, folder, name, bytes.get(name))
  for (const [i, content] of WILD_BYTES.entries()) {
    await keep(
      engine,
      folder,
      { id: wildId(i), fileName: `wild-${i}.bin`, access: 'open' },
      content,
    )
  }
  await plant(folder, dataFolder)
  await engine.start()
  const config = readConfig({ flags: { port: 0, logLevel: 'trace', drainSeconds: 0 } })
  const { lines, log } = keptLog(config)
  const status = { commit: '880f321a', tag: '0.1.0' }
  const server = await startServer({ engine, config, status, log })
  return {
    engine,
    address: server.address,
    place: { dataFolder, ...(await placesOf(dataFolder)) },
    bytes,
    lines,
    clock,
    async [Symbol.asyncDispose]() {
      await server.close()
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Builds a release of the records as they are. An import would fill in missing rights, but a release made
 * elsewhere need not come from an import.
 */
async function makeRelease(folder: string, dataFolder: string, records: readonly object[]) {
  const { texts } = await documentsOf([json(records)], { as: 'files' })
  const given = new Map(records.map((record) => [(record as Document).file_id, record as Document]))
  const sources: Record<string, string> = {}
  for (const [dataset, text] of Object.entries(texts)) {
    const path = join(folder, `${dataset}.ndjson`)
    sources[dataset] = path
    await writeFile(path, dataset === 'files' ? asGiven(text, given) : text)
  }
  const releases = new Releases(dataFolder)
  const version = { major: 1, minor: 0, releaseDate: '2026-01-01' }
  const facts = { dataRelease: 'Data Release 1.0', version, createdAt: '2026-01-01T00:00:00.000Z' }
  const folders = { folder: releases.path, executor: inlineExecutor }
  const { id } = await buildRelease({ ...folders, sources, facts: { ...facts, id: 'made' } })
  await releases.switchTo(id)
}

interface Document {
  readonly file_id: string
  readonly access?: string
  readonly acl?: readonly string[]
}

/** Replaces the rights in the documents with those in the records. */
function asGiven(text: string, given: ReadonlyMap<string, Document>): string {
  const lines = text.split('\n').filter((line) => line !== '')
  const changed = lines.map((line) => {
    const { access: _, acl: __, ...document } = JSON.parse(line) as Document
    const { access, acl } = given.get(document.file_id) ?? {}
    return JSON.stringify({ ...document, access, acl })
  })
  return changed.map((line) => `${line}\n`).join('')
}

async function makeBytes(folder: string): Promise<ReadonlyMap<FileName, Buffer>> {
  const made = new Map<FileName, Buffer>()
  for (const [i, name] of FILE_NAMES.entries()) {
    const { fileName, isBam } = fileOf(name)
    if (isBam) {
      const path = join(folder, fileName)
      await makeBam({ path, seed: i, style: 'htslib', scale: 'demo' })
      made.set(name, await readFile(path))
    } else {
      const size = 50_021 + 1_117 * i
      made.set(name, Buffer.alloc(size, `${markOf(name)} `))
    }
  }
  return made
}

/** A different content for each of the unusual names. */
export const WILD_BYTES: readonly Buffer[] = Object.freeze(
  WILD_NAMES.map((_, i) => Buffer.alloc(700 + i, `wild ${i} `)),
)

/** The text that fills the bytes of a file other than a BAM. */
export const markOf = (name: FileName) => `Zq7-bytes-of-${name}`

export const factsOf = (bytes: Buffer) => ({
  size: bytes.length,
  md5: createHash('md5').update(bytes).digest('hex'),
})

async function store(engine: Engine, folder: string, name: FileName, bytes: Buffer | undefined) {
  const { id, fileName, row, isBam } = fileOf(name)
  if (!row || !bytes) return
  const { access, acl, partOf } = row
  if (isBam) await engine.commons.importBam({ path: join(folder, fileName), id, access })
  else {
    const owner = partOf === undefined ? null : fileOf(partOf as FileName).id
    await keep(engine, folder, { id, fileName, access, acl, partOf: owner }, bytes)
  }
}

interface Kept {
  readonly id: string
  readonly fileName: string
  readonly access: 'open' | 'controlled'
  readonly acl?: readonly string[] | undefined
  readonly partOf?: string | null
}

/** Stores bytes and their row without an import, which would not contradict the records. */
async function keep(engine: Engine, folder: string, kept: Kept, bytes: Buffer): Promise<void> {
  const { id, fileName, access, acl = [], partOf = null } = kept
  const path = join(folder, fileName)
  await writeFile(path, bytes)
  await engine.shared.blobs.folder.take({ id, name: fileName }, path)
  await engine.shared.files.add({
    id,
    fileName,
    access,
    acl,
    partOf,
    ...factsOf(bytes),
    dataFormat: null,
    indexName: null,
    storage: 'folder',
    linkedModified: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  })
}

/** Creates files beside, above and among the stored ones that no request may reach. */
async function plant(folder: string, dataFolder: string): Promise<void> {
  const nested = join(dataFolder, 'files', fileOf('open').id)
  for (const place of [folder, dataFolder, join(dataFolder, 'files'), nested]) {
    await mkdir(place, { recursive: true })
    await writeFile(join(place, 'planted.txt'), OUTSIDE_MARK)
  }
}

export interface Sent {
  readonly method?: 'GET' | 'HEAD' | 'POST'
  /** Path and query exactly as they are sent. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Got {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Sends a request as it is written. */
export async function send(address: string, { method = 'GET', target, headers, body }: Sent) {
  const { hostname, port } = new URL(address)
  return new Promise<Got>((resolve, reject) => {
    const sent = request({ hostname, port, method, path: target, headers }, async (answer) => {
      const { statusCode: status = 0, headers: received } = answer
      const got = { status, headers: received as Record<string, string> }
      resolve({ ...got, body: await buffer(answer) })
    })
    sent.on('error', reject).end(body)
  })
}
