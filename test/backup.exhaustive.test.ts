import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPostgres } from '../bench/commons/search/postgres/cluster.ts'
import { runProgram } from '../bin/support/program.ts'
import { openEngine } from '../engine/index.ts'
import { inlineExecutor } from '../engine/shared/index.ts'
import { makeBam } from '../fixtures/bam/make-bam.ts'
import { available } from './available.ts'
import { PostgresServer } from './shared/database/support/postgres.ts'
import { FileService, md5Of, someBytes } from './submission/support/file-service.ts'

// A backup is taken while a server receives files, imports store others, and releases replace each other. Then
// the backup is served, and must have everything acknowledged before it began.

const SERVER = join(import.meta.dirname, 'submission/support/serve-files.ts')
const BACKUPS = 3

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-backup-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const FINE = Object.freeze({ status: 0, signal: null, out: '', err: '' })
/** The output of `check` for an intact folder. */
const CLEAN = Object.freeze({ status: 0, err: expect.stringMatching(/nothing is wrong\n$/) })

/** The md5 of the bytes stored under each id. */
async function storedMd5s(dataFolder: string): Promise<Map<string, string>> {
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  try {
    await engine.start()
    await engine.submission.files.idle()
    const md5s = new Map<string, string>()
    for await (const { id, fileName } of engine.shared.files.each()) {
      const bytes = readFileSync(engine.shared.blobs.folder.path({ id, name: fileName }))
      md5s.set(id, md5Of(bytes))
    }
    return md5s
  } finally {
    await engine.close()
  }
}

describe('under load', () => {
  let service: FileService
  let server: ChildProcess
  let address = ''
  beforeAll(async () => {
    service = await FileService.start()
  })
  afterAll(async () => {
    server?.kill('SIGKILL')
    await service.close()
  })

  test('a backup has what was acknowledged before it began, and check finds nothing', async () => {
    const files = Array.from({ length: 400 }, (_, i) => someBytes(20_000 + 997 * i, i + 1))
    const ids: string[] = []
    for (const [i, bytes] of files.entries()) {
      ids.push(await service.add({ name: `file ${i}.fastq`, bytes }))
    }
    await service.down()
    server = spawn(process.execPath, [SERVER, service.folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
      address = line
      break
    }
    const data = ['--data', service.folder]
    const bam = join(folder, 'reads.bam')
    await makeBam({ path: bam, seed: 7, scale: 2e6, style: 'htslib', level: 1 })
    expect(await runProgram(['import', 'bam', bam, ...data])).toMatchObject({ status: 0 })

    const isOver = new AbortController()
    const acknowledged = new Map<string, string>()
    const work = [
      ...[0, 1].map((lane) => send(lane, acknowledged, isOver.signal, { files, ids })),
      importFiles(service.folder, acknowledged, isOver.signal),
      replaceReleases(service.folder, isOver.signal),
    ]
    try {
      const made: { target: string; before: Map<string, string> }[] = []
      for (let i = 0; i < BACKUPS; i++) {
        const wanted = acknowledged.size + 5
        await expect.poll(() => acknowledged.size).toBeGreaterThan(wanted)
        const target = join(folder, `backup ${i}`)
        const before = new Map(acknowledged)
        const previous = i === 0 ? [] : ['--previous', join(folder, `backup ${i - 1}`)]
        expect(await runProgram(['backup', target, ...previous, ...data])).toEqual(FINE)
        made.push({ target, before })
      }
      isOver.abort()
      await Promise.all(work)
      for (const { target, before } of made) {
        expect(await runProgram(['check', '--deep', '--data', target])).toMatchObject(CLEAN)
        // The backup is restored with the same command, so that it stays unchanged.
        const restored = `${target} restored`
        expect(await runProgram(['backup', restored, '--data', target])).toEqual(FINE)
        const md5s = await storedMd5s(restored)
        expect([...before].filter(([id, md5]) => md5s.get(id) !== md5)).toEqual([])
        expect(await runProgram(['check', '--deep', '--data', restored])).toMatchObject(CLEAN)
      }
      const last = made.at(-1)?.target ?? ''
      const stored = await storedMd5s(last)
      const isLinked = (id: string) => {
        const name = `files/${id}/file ${ids.indexOf(id)}.fastq`
        return existsSync(join(last, name)) && statSync(join(last, name)).nlink > 1
      }
      expect([...stored.keys()].filter(isLinked).length).toBeGreaterThan(0)
    } finally {
      isOver.abort()
      await Promise.allSettled(work)
    }
  })

  interface Sent {
    readonly files: readonly Buffer[]
    readonly ids: readonly string[]
  }

  /** Uploads every second file, one after the other; each answer confirms that the bytes are stored. */
  async function send(
    lane: number,
    acknowledged: Map<string, string>,
    signal: AbortSignal,
    { files, ids }: Sent,
  ): Promise<void> {
    for (let i = lane; i < ids.length && !signal.aborted; i += 2) {
      const id = ids[i] ?? ''
      const bytes = files[i] ?? Buffer.alloc(0)
      const answer = await fetch(`${address}/submission/GDC/MISC/files/${id}`, {
        method: 'PUT',
        headers: { 'X-Auth-Token': service.admin },
        body: bytes,
      })
      expect(answer.status).toBe(200)
      acknowledged.set(id, md5Of(bytes))
    }
  }
})

/** Imports some small files repeatedly. */
async function importFiles(
  dataFolder: string,
  acknowledged: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const from = join(folder, `import ${round}`)
    await mkdir(from)
    const rows = ['id\tfilename\tmd5\tsize\tstate']
    const md5s = new Map<string, string>()
    for (let i = 0; i < 20; i++) {
      const bytes = someBytes(5000, 1000 * round + i)
      const id = crypto.randomUUID()
      md5s.set(id, md5Of(bytes))
      await writeFile(join(from, `${i}.bin`), bytes)
      rows.push([id, `${i}.bin`, md5Of(bytes), bytes.length, 'released'].join('\t'))
    }
    const manifest = join(from, 'manifest.txt')
    await writeFile(manifest, `${rows.join('\n')}\n`)
    const words = ['import', 'files', '--manifest', manifest, '--from', from]
    const ended = await runProgram([...words, '--data', dataFolder])
    expect(ended).toMatchObject({ status: 0 })
    for (const [id, md5] of md5s) acknowledged.set(id, md5)
  }
}

/** Makes one release after the other and deletes all but the last of three, as an operator may. */
async function replaceReleases(dataFolder: string, signal: AbortSignal): Promise<void> {
  for (let round = 1; !signal.aborted; round++) {
    const path = join(folder, 'cases.json')
    const cases = Array.from({ length: 50 * round }, (_, i) => ({ case_id: `c${i}` }))
    await writeFile(path, JSON.stringify(cases.map((one) => ({ ...one, primary_site: 'Brain' }))))
    const words = ['import', 'commons', path, '--as', 'cases', '--replace']
    expect(await runProgram([...words, '--data', dataFolder])).toMatchObject({ status: 0, err: '' })
  }
}

describe('a backup', () => {
  const data = () => join(folder, 'small')
  beforeAll(async () => {
    const bam = join(folder, 'small.bam')
    await makeBam({ path: bam, seed: 8, scale: 2e5, style: 'htslib', level: 1 })
    const words = ['import', 'bam', bam, '--data', data()]
    expect(await runProgram(words)).toMatchObject({ status: 0 })
  })

  test('to a folder that is there is refused, and changes nothing', async () => {
    const target = join(folder, 'there')
    await mkdir(target)
    expect(await runProgram(['backup', target, '--data', data()])).toMatchObject({
      status: 1,
      err: expect.stringContaining('is there already'),
    })
    expect(existsSync(`${target}.part`)).toBe(false)
  })

  test('of no data folder is refused', async () => {
    const words = ['backup', join(folder, 'never'), '--data', join(folder, 'nothing')]
    expect(await runProgram(words)).toMatchObject({
      status: 1,
      err: expect.stringContaining('no casemill data in'),
    })
    expect(existsSync(join(folder, 'never'))).toBe(false)
  })

  test('names what is missing, and ends with status 1', async () => {
    const damaged = join(folder, 'damaged')
    expect(await runProgram(['backup', damaged, '--data', data()])).toEqual(FINE)
    const ids = [...(await storedMd5s(damaged)).keys()]
    expect(ids).toHaveLength(1)
    rmSync(join(damaged, 'files', ids[0] ?? '', 'small.bam'))
    const ended = await runProgram(['backup', join(folder, 'of damaged'), '--data', damaged])
    expect(ended).toMatchObject({
      status: 1,
      out: `files/${ids[0]}\tis not in the data folder\n`,
    })
  })

  test('that was broken off goes on', async () => {
    const target = join(folder, 'resumed')
    // A kill leaves part of the backup, and a file that was being written.
    const whole = join(folder, 'whole')
    expect(await runProgram(['backup', whole, '--data', data()])).toEqual(FINE)
    renameSync(whole, `${target}.part`)
    rmSync(join(`${target}.part`, 'state.sqlite'))
    await writeFile(join(`${target}.part`, 'database.sqlite.part'), 'half of it')
    expect(await runProgram(['backup', target, '--data', data()])).toEqual(FINE)
    expect(existsSync(`${target}.part`)).toBe(false)
    expect(await runProgram(['check', '--deep', '--data', target])).toMatchObject(CLEAN)
  })
})

describe.runIf(available.postgresql)('with PostgreSQL', () => {
  const postgres = new PostgresServer()
  beforeAll(() => postgres.start())
  afterAll(() => postgres.stop())

  const client = (name: string, ...words: string[]) =>
    promisify(execFile)(join(findPostgres() ?? '', name), words)

  test('a dump that is made before the backup speaks of nothing that the backup has not', async () => {
    const data = join(folder, 'served by postgresql')
    const url = await postgres.url()
    const settings = { CASEMILL_STATE_URL: url }
    const importBam = async (seed: number) => {
      const path = join(folder, `${seed}.bam`)
      await makeBam({ path, seed, scale: 2e5, style: 'htslib', level: 1 })
      const words = ['import', 'bam', path, '--data', data]
      expect(await runProgram(words, settings)).toMatchObject({ status: 0 })
    }
    await importBam(20)
    const dump = join(folder, 'state.sql')
    await client('pg_dump', '--clean', '--if-exists', '--no-owner', `--file=${dump}`, url)
    // A file imported between the two is among the files only.
    await importBam(21)
    const target = join(folder, 'of postgresql')
    expect(await runProgram(['backup', target, '--data', data], settings)).toEqual(FINE)
    await importBam(22)

    await client('psql', '--quiet', '--set=ON_ERROR_STOP=1', `--file=${dump}`, url)
    const ended = await runProgram(['check', '--deep', '--data', target], settings)
    expect(ended.status).toBe(1)
    expect(ended.out).toMatch(/^files\/[\da-f-]{36}\tfolder belongs to no file of the catalogue\n$/)
  })
})
