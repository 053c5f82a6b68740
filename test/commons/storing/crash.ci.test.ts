import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endOf, runProgram, startProgram } from '../../../bin/support/program.ts'
import { openEngine } from '../../../engine/engine.ts'
import { startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { depth } from '../../depth.ts'

const SMALL = depth(16, 40)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-crash-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Given {
  readonly from: string
  readonly manifest: string
  /** The md5 of each file by id. */
  readonly md5s: ReadonlyMap<string, string>
}

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

async function md5OfFile(path: string): Promise<string> {
  const hash = createHash('md5')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}

/** Makes some small files, two alignment files with indexes, and one of the given size. */
async function give(name: string, largeBytes: number): Promise<Given> {
  const from = join(folder, name)
  await mkdir(from)
  const random = randomFrom(91)
  const small = Array.from({ length: SMALL }, (_, i) => `small-${i}.txt`)
  for (const each of small) {
    await writeFile(join(from, each), Buffer.alloc(random.below(100_000), `${each} of ${name} `))
  }
  await writeFile(join(from, 'large.bin'), Buffer.alloc(largeBytes, `large of ${name} `))
  for (const [i, bam] of ['one.bam', 'two.bam'].entries()) {
    const path = join(from, bam)
    await makeBam({ path, seed: 92 + i, scale: 2e6, style: 'htslib', level: 1 })
  }
  const half = SMALL / 2
  const order = [...small.slice(0, half), 'one.bam', 'large.bin', ...small.slice(half), 'two.bam']
  const md5s = new Map<string, string>()
  const lines = ['id\tfilename\tmd5\tsize\tstate']
  for (const [i, each] of order.entries()) {
    const path = join(from, each)
    const md5 = await md5OfFile(path)
    const { length } = await readFile(path)
    md5s.set(idOf(i), md5)
    lines.push([idOf(i), each, md5, length, 'released'].join('\t'))
  }
  const manifest = join(folder, `${name}.txt`)
  await writeFile(manifest, `${lines.join('\n')}\n`)
  return { from, manifest, md5s }
}

type Settings = Readonly<Record<string, string>>

/** The time taken if it ended before it was killed. */
async function runAndKill(args: readonly string[], settings: Settings, afterMs: number) {
  const began = performance.now()
  const child = startProgram(args, settings)
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  const [err, [, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  clearTimeout(timer)
  if (signal === 'SIGKILL') return undefined
  expect(err).toContain('stored')
  return performance.now() - began
}

/** Checks that everything that could be served has the md5 of its file. */
async function wrongFiles(data: string, { md5s }: Given): Promise<string[]> {
  const engine = await openEngine({ dataFolder: data, executor: inlineExecutor })
  try {
    const wrong: string[] = []
    for await (const { id, fileName, md5, storage } of engine.shared.files.each()) {
      if (md5 !== md5s.get(id)) wrong.push(id)
      if (storage === 's3') continue
      if ((await md5OfFile(engine.shared.blobs.folder.path({ id, name: fileName }))) !== md5)
        wrong.push(id)
    }
    return wrong
  } finally {
    await engine.close()
  }
}

interface Crashes {
  readonly kills: number
  readonly seed: number
  readonly settings: Settings
}

/** Kills imports at random moments, and starts in a new folder whenever one finishes. */
async function crashAndFinish(given: Given, { kills, seed, settings }: Crashes) {
  const argsFor = (data: string) => {
    return ['import', 'files', '--data', data, '--manifest', given.manifest, '--from', given.from]
  }
  const finish = async (data: string) => {
    const began = performance.now()
    // The import runs in a child process, because its duration determines when to kill it.
    const ended = await endOf(startProgram(argsFor(data), settings))
    expect(ended).toMatchObject({ status: 0, out: '' })
    const tookMs = performance.now() - began
    expect(await runProgram(['check', '--deep', '--data', data], settings)).toMatchObject({
      status: 0,
      out: '',
    })
    expect(await readdir(join(data, 'incoming'))).toEqual([])
    expect(await wrongFiles(data, given)).toEqual([])
    const engine = await openEngine({ dataFolder: data, executor: inlineExecutor })
    const ids: string[] = []
    for await (const { id } of engine.shared.files.each()) ids.push(id)
    expect(new Set(ids)).toEqual(new Set(given.md5s.keys()))
    expect((await engine.shared.files.totals()).alignments).toBe(2)
    await engine.close()
    return tookMs
  }
  let wholeMs = await finish(await mkdtemp(join(folder, 'data-')))
  const random = randomFrom(seed)
  let data = await mkdtemp(join(folder, 'data-'))
  const moments: number[] = []
  for (let killed = 0; killed < kills; ) {
    const moment = Math.round((0.3 + 0.7 * random.unit()) * wholeMs)
    moments.push(moment)
    const tookMs = await runAndKill(argsFor(data), settings, moment)
    if (tookMs === undefined) {
      killed++
      expect(await wrongFiles(data, given), `after ${moments} ms`).toEqual([])
    } else {
      // A kill after that time would seldom hit the import.
      wholeMs = Math.min(wholeMs, tookMs)
      data = await mkdtemp(join(folder, 'data-'))
    }
  }
  process.stdout.write(`killed after ${moments.join(', ')} ms (seed ${seed})\n`)
  await finish(data)
}

describe('an import of files that is killed at random moments', () => {
  test('completes when it is run again', async () => {
    // The file is large enough for its copy to resume where it stopped.
    const given = await give('local', 70 << 20)
    await crashAndFinish(given, { kills: depth(1, 8, 20), seed: 93, settings: {} })
  })

  test('completes with object storage, too', async () => {
    const given = await give('remote', 3 << 20)
    const server = await startS3()
    try {
      await crashAndFinish(given, {
        kills: depth(1, 3, 10),
        seed: 94,
        settings: server.environment,
      })
    } finally {
      await server.stop()
    }
  })
})

describe.skipIf(!available.samtools)('an import of a CRAM file that is killed', () => {
  const KILLED = fileURLToPath(new URL('support/killed-cram.ts', import.meta.url))
  let cram = ''
  beforeAll(async () => {
    const bam = join(folder, 'reads.bam')
    await makeBam({ path: bam, seed: 95, scale: 2e6, style: 'htslib', level: 1 })
    cram = join(folder, 'reads.cram')
    // The bases are in the file, so no reference is needed.
    await promisify(execFile)('samtools', ['view', '-O', 'cram,no_ref=1', '-o', cram, bam])
    await promisify(execFile)('samtools', ['index', cram])
  })

  /** Returns whether the import reached the place at which it is killed. */
  async function kill(data: string, where: string, number: number): Promise<boolean> {
    const child = spawn(process.execPath, [KILLED, data, cram, idOf(1), where, String(number)])
    const [status, signal] = await once(child, 'exit')
    expect([status, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL'])
    return signal !== null
  }

  test('leaves nothing that is seen or all of it, and can be run again', async () => {
    const md5 = await md5OfFile(cram)
    const given = { from: folder, manifest: '', md5s: new Map([[idOf(1), md5]]) }
    const moments: [where: string, number: number][] = [['progress', 0]]
    for (let number = 0; number < depth(2, 20); number++) moments.push(['rename', number])
    let killed = 0
    for (const [where, number] of moments) {
      const data = await mkdtemp(join(folder, 'cram-'))
      if (!(await kill(data, where, number))) break
      killed++
      expect(await wrongFiles(data, given), `${where} ${number}`).toEqual([])
      const engine = await openEngine({ dataFolder: data, executor: inlineExecutor })
      try {
        await engine.start()
        await engine.commons.importBam({ path: cram, id: idOf(1), kind: 'CRAM', access: 'open' })
        expect(await engine.shared.files.find(idOf(1))).toMatchObject({ md5, dataFormat: 'CRAM' })
        const found: unknown[] = []
        for await (const issue of engine.check({ isDeep: true })) found.push(issue)
        expect([found, await readdir(join(data, 'incoming'))]).toEqual([[], []])
      } finally {
        await engine.close()
      }
      expect(await wrongFiles(data, given)).toEqual([])
    }
    // Verifying is one place, and each rename another.
    expect(killed).toBeGreaterThan(1)
    process.stdout.write(`killed at ${killed} places\n`)
  })
})
