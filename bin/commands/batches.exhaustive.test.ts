import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedState } from '../../engine/internal.ts'
import { madeStaging } from '../../engine/registry/staging/store/support/made-staging.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { depth } from '../../test/depth.ts'
import { eventually } from '../../test/eventually.ts'
import { runProgram, startProgram } from '../support/program.ts'

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-batches-'))
  mkdirSync(at('data'))
  const state = sharedState({ dataFolder: at('data') })
  await madeStaging(state)
  await state.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
/** Tasks of a cluster have no data folder. The tests themselves may run as such tasks. */
const OUTSIDE = {
  CASEMILL_DATA: undefined,
  SLURM_ARRAY_TASK_ID: undefined,
  JOB_COMPLETION_INDEX: undefined,
  SLURM_CPUS_PER_TASK: undefined,
}
const run = (...args: readonly string[]) => runProgram(args, OUTSIDE)

/** Plans, runs each shard as a pod of an indexed job, and returns the plan's folder. */
async function planned(...[name, ...args]: readonly string[]) {
  const plan = at(`plan-${name}`)
  const { status, out, err } = await run('plan', ...args, '--out', plan)
  expect({ status, err }).toMatchObject({ status: 0 })
  return { plan, count: Number(out), err }
}
async function doAll(plan: string, count: number) {
  for (let index = 0; index < count; index++) {
    // The variable that Kubernetes sets for pods of a job with `completionMode: Indexed`.
    const environment = { ...OUTSIDE, JOB_COMPLETION_INDEX: String(index) }
    const { status, err } = await runProgram(['shard', '--plan', plan], environment)
    expect({ status, err }).toMatchObject({ status: 0 })
  }
}

/** Lines of all kinds: accepted, rejected and empty, with both line endings, and the last one without. */
function lines(accepted: string, count: number): string {
  const all = Array.from({ length: count }, (_, i) => {
    if (i % 333 === 7) return '[]'
    if (i % 250 === 9) return ''
    return i % 71 === 3 ? 'é{' : accepted
  })
  return all.map((line, i) => line + (i % 3 === 0 ? '\r\n' : '\n')).join('') + accepted
}

const hodgkin = (histology: string, year: string) => ({
  primary_site: 'C770',
  histology_icd_o3: histology,
  behavior_icd_o3: '3',
  date_of_diagnosis_year: year,
  date_of_diagnosis_month: '01',
})
const PAIR = JSON.stringify({ input1: hodgkin('9650', '1996'), input2: hodgkin('9667', '1998') })

const TUMOR = { site: 'C509', hist: '8500', behavior: '3', date_of_diagnosis: '2019' }
const PATIENT = JSON.stringify({ tumors: [TUMOR, { ...TUMOR, hist: '8140' }] })

interface Work {
  readonly kind: string
  readonly line: string
  readonly options: readonly string[]
  readonly hasData?: true
  /** Name of the recode. It is an option of the plan, and the first argument of the command. */
  readonly recode?: string
}

const WORK: readonly Work[] = [
  {
    kind: 'stage',
    line: '{"site":"C509"}',
    hasData: true,
    options: ['--algorithm', 'made', '--version', 'latest'],
  },
  { kind: 'mph', line: PAIR, options: [] },
  { kind: 'seer', line: JSON.stringify(TUMOR), options: ['--version', '2023'], recode: 'seer' },
  { kind: 'iarc', line: PATIENT, options: [], recode: 'iarc' },
]

describe.each(WORK)('$kind', ({ kind, line, options, hasData, recode }) => {
  const words: string[] = [...options]
  const asOne = recode ? ['recode', recode] : [kind]
  const planning = recode ? ['recode', '--recode', recode] : [kind]
  const file = (name: string) => at(`${kind}-${name}`)
  let single: string
  let told: string
  beforeAll(async () => {
    if (hasData) words.push('--data', at('data'))
    writeFileSync(file('a.ndjson'), lines(line, 2000))
    writeFileSync(file('b.ndjson'), lines(line, 100))
    writeFileSync(file('empty.ndjson'), '')
    writeFileSync(file('c.ndjson.gz'), gzipSync(lines(line, 500)))
    const alone = []
    for (const input of inputs()) alone.push(await run(...asOne, input, ...words))
    single = alone.map(({ out }) => out).join('')
    told = alone.map(({ err }) => err).join('')
  })
  const inputs = () => ['a.ndjson', 'b.ndjson', 'empty.ndjson', 'c.ndjson.gz', 'b.ndjson'].map(file)

  test('joined shards are what single runs print, with their lines and messages', async () => {
    const { plan, count, err } = await planned(
      ...[kind, ...planning, ...inputs(), ...words, '--lines', '500'],
    )
    expect(err).toContain(
      `${file('c.ndjson.gz')} is gzip, which cannot be split, so it is one shard`,
    )
    expect(count).toBeGreaterThan(4)
    await doAll(plan, count)
    const files = readdirSync(plan)
    expect(await run('join', '--plan', plan)).toMatchObject({ status: 1, out: single, err: told })
    const output = file('joined')
    expect(await run('join', '--plan', plan, '-o', output)).toMatchObject({ status: 1, out: '' })
    expect(readFileSync(output, 'utf8')).toBe(single)
    expect(readdirSync(plan)).toEqual(files)
  })

  test('a plan of one shard is what a run prints', async () => {
    const { plan, count } = await planned(...[`${kind}-1`, ...planning, file('b.ndjson'), ...words])
    expect(count).toBe(1)
    expect(await run('shard', '1/1', '--plan', plan)).toMatchObject({
      status: 0,
      out: '',
      err: 'shard 1 of 1: 101 lines, 3 with an error as result\n',
    })
    const { out } = await run(...asOne, file('b.ndjson'), ...words)
    expect(await run('join', '--plan', plan)).toMatchObject({ status: 1, out })
  })
})

/** Kills shard 1 at random moments of its work, then runs it to its end. */
async function killedAndDone(plan: string): Promise<void> {
  const random = randomFrom(83)
  for (let round = 0; round < depth(2, 3, 20); round++) {
    const child = startProgram(['shard', '1/1', '--plan', plan], OUTSIDE)
    const ended = once(child, 'exit')
    const begun = () => readdirSync(plan).some((name) => /^\.?shard-/.test(name))
    await eventually(() => expect(begun()).toBe(true))
    await wait(random.below(700))
    child.kill('SIGKILL')
    await ended
    // At most the folder that it was working in is left, and that does not count as a shard.
    const { err } = await run('join', '--plan', plan, '-o', at('early'))
    const shard = join(plan, 'shard-00001')
    if (existsSync(shard)) rmSync(shard, { recursive: true })
    else expect(err).toContain('shard 1 of 1 is missing')
  }
  expect(await run('shard', '1/1', '--plan', plan)).toMatchObject({ status: 0 })
  const { err } = await run('shard', '1/1', '--plan', plan)
  expect(err).toMatch(/, was done before\n$/)
  expect(readdirSync(plan).filter((name) => name !== 'plan.json')).toEqual(['shard-00001'])
}

test('a shard of lines that is killed at any moment is done by the next call', async () => {
  const input = at('killed.ndjson')
  writeFileSync(input, lines(PAIR, 60_000))
  const { plan } = await planned('killed', 'mph', input, '--shards', '1')
  await killedAndDone(plan)
  expect((await run('join', '--plan', plan)).out).toBe((await run('mph', input)).out)
})

test('answers that are not what the marker says are refused, and nothing is written', async () => {
  writeFileSync(at('pairs.ndjson'), `${PAIR}\n`.repeat(100))
  const { plan, count } = await planned('damaged', 'mph', at('pairs.ndjson'), '--shards', '3')
  await doAll(plan, count)
  const answers = join(plan, 'shard-00002/answers.ndjson')
  const bytes = readFileSync(answers)
  const damaged = /^casemill: "[^"]+shard-00002" does not match its marker; .*run shard 2 again\n$/
  for (const damage of [
    () => truncateSync(answers, bytes.length - 1),
    () =>
      writeFileSync(
        answers,
        bytes.map((byte, i) => (i === 100 ? byte ^ 1 : byte)),
      ),
    () => rmSync(answers),
  ]) {
    damage()
    const { status, err } = await run('join', '--plan', plan, '-o', at('damaged'))
    expect({ status, err }).toMatchObject({ status: 1, err: expect.stringMatching(damaged) })
    expect(existsSync(at('damaged'))).toBe(false)
  }
  rmSync(join(plan, 'shard-00002'), { recursive: true })
  await doAll(plan, count)
  expect(await run('join', '--plan', plan)).toMatchObject({ status: 0, err: '' })
})

test('what is wrong with a call is reported, and nothing is made', async () => {
  writeFileSync(at('one.ndjson'), `${PAIR}\n`)
  const { plan } = await planned('usage', 'mph', at('one.ndjson'))
  expect(await run('shard', '--plan', plan)).toMatchObject({
    status: 2,
    err: 'casemill: give a shard from 1/1 to 1/1\n',
  })
  expect(await run('shard', '1/2', '--plan', plan)).toMatchObject({ status: 1 })
  expect(await run('plan', 'mph', '-', '--out', at('none'))).toMatchObject({ status: 1 })
  const both = [
    'plan',
    'mph',
    at('one.ndjson'),
    '--out',
    at('none'),
    '--shards',
    '2',
    '--lines',
    '3',
  ]
  expect(await run(...both)).toMatchObject({ status: 2 })
  expect(await run(...both.slice(0, -3), '0')).toMatchObject({ status: 2 })
  expect(existsSync(at('none'))).toBe(false)
  expect(await run('plan', 'mph', at('one.ndjson'), '--out', plan, '--bytes', '7')).toMatchObject({
    status: 0,
    err: `casemill: ${plan} already has this plan\n`,
  })
  writeFileSync(at('one.ndjson'), `${PAIR}\n\n`)
  expect(await run('shard', '1/1', '--plan', plan)).toMatchObject({
    status: 1,
    err: expect.stringContaining('one.ndjson" was changed since the plan was made'),
  })
})

describe('bam', () => {
  beforeAll(async () => {
    mkdirSync(at('bams'))
    for (const [i, index] of (['bai', 'csi', 'none', 'bai', 'bai'] as const).entries()) {
      const path = join(at('bams'), `${i}.bam`)
      await makeBam({ path, scale: 'tiny', style: 'htslib', seed: i + 1, index })
    }
    writeFileSync(join(at('bams'), 'text.bam'), 'no alignments\n')
  })

  test.each([
    ['copies', []],
    ['links', ['--link']],
  ])('joined shards are what import bam %s', async (_, link) => {
    const options = ['--project', 'P-1', ...link]
    const name = `bam${link.length}`
    const { plan, count } = await planned(name, 'bam', at('bams'), ...options, '--shards', '3')
    expect(count).toBe(3)
    await doAll(plan, count)
    const data = at(`data-${name}`)
    const joined = await run('join', '--plan', plan, '--data', data)
    const alone = await run('import', 'bam', at('bams'), ...options, '--data', at(`single-${name}`))
    // A problem with a path is reported before anything is stored, or when its turn comes, so the order varies.
    const told = (err: string) => err.split('\n').sort()
    expect({ ...joined, err: told(joined.err) }).toEqual({ ...alone, err: told(alone.err) })
    expect(joined).toMatchObject({ status: 1, out: expect.stringMatching(/^(.+\n){5}$/) })
    expect(await run('check', '--deep', '--data', data)).toMatchObject({ status: 0 })
    const ids = joined.out.split('\n').map((line) => line.split('\t')[0] ?? '')
    const slice = async (of: string) => {
      const output = `${of}.slice`
      const stored = join(of, 'files', ids[0] ?? '', '0.bam')
      expect(await run('slice', stored, 'chr1', '-o', output)).toMatchObject({ status: 0 })
      return readFileSync(output)
    }
    expect((await slice(data)).equals(await slice(at(`single-${name}`)))).toBe(true)
    // The second time, all files are known and nothing is left to store.
    const again = await run('join', '--plan', plan, '--data', data)
    expect(again).toMatchObject({ status: 1, out: joined.out })
    expect(again.err.match(/was stored before/g)).toHaveLength(5)
    expect(readdirSync(join(data, 'incoming'))).toEqual([])
  })

  test('bytes that are not those that were proved are refused; the others are stored', async () => {
    const { plan, count } = await planned('changed', 'bam', at('bams/0.bam'), at('bams/1.bam'))
    await doAll(plan, count)
    const [first, second] = ['1', '2'].map((n) => join(plan, 'shard-00001', n, 'bytes.bam'))
    const bytes = readFileSync(first as string)
    writeFileSync(
      first as string,
      bytes.map((byte, i) => (i === 2000 ? byte ^ 1 : byte)),
    )
    // The same bytes in another file, as after copying the folder.
    cpSync(second as string, `${second}.copy`)
    rmSync(second as string)
    cpSync(`${second}.copy`, second as string)
    const data = at('data-changed')
    const { status, out, err } = await run('join', '--plan', plan, '--data', data)
    expect({ status, out }).toMatchObject({
      status: 1,
      out: expect.stringMatching(/^\S+\t.*1\.bam\n$/),
    })
    expect(err).toContain('casemill: the bytes of "0.bam" are no longer those that were proved')
    expect(await run('check', '--deep', '--data', data)).toMatchObject({ status: 0 })
  })

  test('a shard that is killed at any moment is done by the next call', async () => {
    const path = at('killed.bam')
    await makeBam({ path, scale: 'small', style: 'htslib', seed: 7 })
    const { plan } = await planned('killed-bam', 'bam', at('bams'), path, '--shards', '1')
    await killedAndDone(plan)
    const names = readdirSync(plan, { recursive: true, encoding: 'utf8' })
    // Nothing is left of the file with no valid content either.
    expect(names.filter((name) => name.includes('incoming'))).toEqual([])
    const stored = await run('join', '--plan', plan, '--data', at('data-killed'))
    expect(stored.out).toMatch(/^(.+\n){6}$/)
    expect(await run('check', '--deep', '--data', at('data-killed'))).toMatchObject({ status: 0 })
  })

  test('bytes are linked into the data folder, and not copied', async () => {
    const { plan, count } = await planned('hard', 'bam', at('bams/0.bam'))
    await doAll(plan, count)
    const { out } = await run('join', '--plan', plan, '--data', at('data-hard'))
    const stored = statSync(join(at('data-hard'), 'files', out.trim(), '0.bam'))
    const { ino, dev } = statSync(join(plan, 'shard-00001/1/bytes.bam'))
    expect({ ino: stored.ino, dev: stored.dev }).toEqual({ ino, dev })
  })
})
