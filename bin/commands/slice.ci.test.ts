import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomFrom } from '../../fixtures/random.ts'
import { available } from '../../test/available.ts'

// Memory of `casemill slice` for a whole chromosome, as the operating system counts it. Linux only, because it
// reads /proc.

const PROGRAM = fileURLToPath(new URL('../casemill.ts', import.meta.url))
const MOST_MEGABYTES = 300
/**
 * Less than the difference between both chromosomes as text, which is 124 megabytes. Peaks for the same file
 * differ by 25.
 */
const MARGIN_MEGABYTES = 60

const samtools = promisify(execFile)

let folder = ''
let [fewer, more] = ['', '']
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-slice-memory-'))
  if (!available.samtools) return
  const seed = join(folder, 'seed.bam')
  await writeFile(`${seed}.sam`, pile(10_000))
  await samtools('samtools', ['view', '--no-PG', '-b', '-o', seed, `${seed}.sam`])
  ;[fewer, more] = await Promise.all([repeated(seed, 12), repeated(seed, 45)])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns reads at the same position, which are in order however often they are repeated. */
function pile(reads: number): string {
  const random = randomFrom(26)
  const letters = (count: number, alphabet: string) =>
    Array.from({ length: count }, () => alphabet[random.below(alphabet.length)]).join('')
  const lines = Array.from({ length: reads }, (_, i) =>
    [
      ...[`read:${i}:${letters(12, '0123456789')}`, 99, 'chr1', 5000, 60, '150M', '=', 5200, 350],
      ...[letters(150, 'ACGT'), letters(150, 'FGHI:,#'), `NM:i:${i % 9}`, 'RG:Z:sample'],
    ].join('\t'),
  )
  return `@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:100000\n${lines.join('\n')}\n`
}

/** Writes a file that repeats the blocks of another file's records, and its index. */
async function repeated(path: string, times: number): Promise<string> {
  const bytes = await readFile(path)
  // BSIZE is the length of a block minus 1 (SAM 4.1). samtools ends a block after the header, does not split a
  // record that fits into a block, and writes an end marker of 28 bytes.
  const headerEnd = bytes.readUInt16LE(16) + 1
  const end = bytes.length - 28
  const records = Array<Buffer>(times).fill(bytes.subarray(headerEnd, end))
  const made = path.replace('seed', `pile-${times}`)
  const parts = [bytes.subarray(0, headerEnd), ...records, bytes.subarray(end)]
  await writeFile(made, Buffer.concat(parts))
  await samtools('samtools', ['index', made])
  return made
}

/**
 * Makes the program print its peak memory at its end. The peak is its own, not that of the process that started
 * it.
 */
const TELL_PEAK = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeSync } from 'node:fs'
  process.on('exit', () => writeSync(2, /VmHWM.*/.exec(readFileSync('/proc/self/status', 'utf8'))[0]))
`)}`

async function digestOf(command: string, args: readonly string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = text(child.stderr)
  const ended = once(child, 'exit')
  const md5 = createHash('md5')
  let bytes = 0
  for await (const chunk of child.stdout) {
    md5.update(chunk)
    bytes += chunk.length
  }
  expect((await ended)[0], await said).toBe(0)
  return { md5: md5.digest('hex'), bytes, said: await said }
}

async function slice(path: string, format: 'sam' | 'json') {
  const args = ['--import', TELL_PEAK, PROGRAM, 'slice', path, 'chr1', '--format', format]
  const { said, ...written } = await digestOf(process.execPath, args)
  return { ...written, megabytes: (Number(/VmHWM:\s+(\d+) kB/.exec(said)?.[1]) * 1024) / 1e6 }
}

describe.skipIf(!available.samtools || platform() !== 'linux')('records of a chromosome', () => {
  test('as SAM take at most 300 MB, and no more for four times as many', async () => {
    const [short, long] = [await slice(fewer, 'sam'), await slice(more, 'sam')]
    expect(long.bytes - short.bytes).toBeGreaterThan(120e6)
    const { md5 } = await digestOf('samtools', ['view', '-h', '--no-PG', more, 'chr1'])
    expect(long.md5).toBe(md5)
    expect(long.megabytes).toBeLessThan(MOST_MEGABYTES)
    expect(long.megabytes - short.megabytes).toBeLessThan(MARGIN_MEGABYTES)
  })

  test('as JSON take at most 300 MB', async () => {
    const { bytes, megabytes } = await slice(fewer, 'json')
    expect(bytes).toBeGreaterThan(45e6)
    expect(megabytes).toBeLessThan(MOST_MEGABYTES)
  })
})
