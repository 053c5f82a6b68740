import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

// Tries an upgrade: `node tools/upgrade/try.ts REVISION`. An earlier commit makes its demo and answers
// questions about it. This one serves the same folder, brings its release up to date, and has to answer the
// same both times. Needs the history of the repository, and the network for the earlier one's packages.

const ROOT = join(import.meta.dirname, '../..')
/** Asked besides what the demo prints to try; all of them have a fixed order. */
const PATHS: readonly string[] = [
  '/projects?size=100&sort=project_id&fields=project_id,name,primary_site,summary.file_size',
  '/cases?size=500&sort=case_id&expand=demographic,diagnoses,samples',
  '/cases?facets=primary_site,disease_type,demographic.gender&size=0',
  '/files?size=2000&sort=file_id&format=tsv&fields=file_id,file_name,file_size,md5sum,cases.case_id',
  '/files?facets=data_type,experimental_strategy,access&size=0',
  '/annotations?size=100&sort=annotation_id',
  '/genes?size=200&sort=gene_id',
  '/ssms?size=200&sort=ssm_id&expand=consequence.transcript.gene',
  '/ssm_occurrences?size=200&sort=ssm_occurrence_id',
  '/cnv_occurrences?size=200&sort=cnv_occurrence_id',
  '/cases/_mapping',
  '/all?query=TP53&size=5',
  '/analysis/top_mutated_genes_by_project?fields=symbol&size=20',
  '/analysis/survival',
  '/rest/staging/algorithms',
  '/rest/ndc?q=tresoplatin',
  '/submission/_dictionary/sample',
  '/submission/DEMO/TRIAL/export?node_label=sample',
]

interface Demo {
  readonly address: string
  readonly curls: readonly string[]
  stop(): Promise<void>
}

const run = (file: string, words: readonly string[], cwd: string) =>
  promisify(execFile)(file, words, { cwd, maxBuffer: 64 << 20 })

/** @param words behind `serve`; what a demo prints to try is read where there are none */
async function serve(program: string, cwd: string, words: readonly string[]): Promise<Demo> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, CASEMILL_LOG_LEVEL: 'error' }
  const node = join(program, 'node_modules/.bin/node')
  const child = spawn(node, [join(program, 'bin/casemill.ts'), 'serve', '--port', '0', ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGINT')
    await ended
  }
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text
    const address = /http:\/\/[\d.]+:\d+/.exec(said)?.[0]
    if (address === undefined || !/stored: .*\n/.test(said)) continue
    // The demo's lines are written together with that.
    child.stdout.resume()
    return { address, curls: said.split('\n').filter((line) => line.startsWith('curl ')), stop }
  }
  throw new Error(`${program} ended before it listened`)
}

interface Answer {
  /** 0 where curl has asked. */
  readonly status: number
  readonly bytes: Buffer
}

type Answers = ReadonlyMap<string, Answer>

async function ask(address: string, { curls, folder }: Asked): Promise<Answers> {
  const text = curls.join('\n')
  const token = /X-Auth-Token: ([\w-]+)/.exec(text)?.[1] ?? ''
  const key = /X-SEERAPI-Key: ([\w-]+)/.exec(text)?.[1] ?? ''
  const answers = new Map<string, Answer>()
  for (const path of PATHS) {
    const headers = { 'X-Auth-Token': token, 'X-SEERAPI-Key': key }
    const answer = await fetch(address + path, { headers })
    const { status } = answer
    answers.set(path, { status, bytes: Buffer.from(await answer.arrayBuffer()) })
  }
  for (const curl of curls.filter((line) => !line.includes('/status'))) {
    const name = curl.replace(/https?:\/\/[\d.]+:\d+/, '').replace(/[\w-]{40,}/, '…')
    const here = curl.replace(/https?:\/\/[\d.]+:\d+/, address).replace(/ -o \S+/, ' -o answer')
    const words = here.includes(' -o ') ? `${here} && cat answer` : here
    const command = promisify(execFile)('bash', ['-c', words], {
      cwd: folder,
      encoding: 'buffer',
      maxBuffer: 64 << 20,
    })
    answers.set(name, { status: 0, bytes: (await command).stdout })
  }
  return answers
}

interface Asked {
  readonly curls: readonly string[]
  /** Where files are put that curl writes. */
  readonly folder: string
}

const isRefused = ({ status }: Answer) => status >= 400

/** Returns the questions whose good answer has changed, each with the first difference. */
function others(before: Answers, after: Answers): string[] {
  return [...before].flatMap(([question, old]) => {
    const { status, bytes } = after.get(question) ?? { status: 0, bytes: Buffer.alloc(0) }
    if (isRefused(old) || (status === old.status && bytes.equals(old.bytes))) return []
    const at = bytes.findIndex((byte, i) => byte !== old.bytes[i])
    const around = (text: Buffer) => text.toString('latin1', Math.max(0, at - 60), at + 40)
    return [`${question}\n  was ${around(old.bytes)}\n  is  ${around(bytes)}`]
  })
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  const result = await work()
  process.stdout.write(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  return result
}

async function tryUpgrade(commit: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-upgrade-'))
  const old = join(folder, 'old')
  try {
    await run('git', ['worktree', 'add', '--detach', old, commit], ROOT)
    await timed('npm ci of the earlier commit', () => run('npm', ['ci'], old))
    const first = await timed('its demo', () => serve(old, folder, []))
    const asked = { curls: first.curls, folder }
    const before = await ask(first.address, asked)
    await first.stop()

    const data = ['--data', 'casemill-demo']
    const check = () =>
      run(process.execPath, [join(ROOT, 'bin/casemill.ts'), 'check', ...data], folder)
    const second = await timed('this one serves its folder', () => serve(ROOT, folder, data))
    const served = others(before, await ask(second.address, asked))
    const { stdout } = await timed('casemill upgrade', () =>
      run(process.execPath, [join(ROOT, 'bin/casemill.ts'), 'upgrade', ...data], folder),
    )
    process.stdout.write(stdout)
    await second.stop()
    await timed('check', check)
    const third = await serve(ROOT, folder, data)
    const upgraded = others(before, await ask(third.address, asked))
    await third.stop()
    const failed = [...before.values()].filter(isRefused).length
    process.stdout.write(`${before.size} questions, ${failed} of which the earlier one refused\n`)
    return [
      ...served.map((question) => `served as it was, answered otherwise: ${question}`),
      ...upgraded.map((question) => `after the upgrade, answered otherwise: ${question}`),
    ]
  } finally {
    await run('git', ['worktree', 'remove', '--force', old], ROOT).catch(() => {})
    await rm(folder, { recursive: true, force: true })
  }
}

const [revision] = process.argv.slice(2)
if (revision === undefined) {
  process.stderr.write('give the commit to upgrade from: node tools/upgrade/try.ts REVISION\n')
  process.exitCode = 2
} else {
  const known = await run('git', ['rev-parse', '--verify', `${revision}^{commit}`], ROOT).catch(
    () => undefined,
  )
  if (!known) {
    const advice = 'in a shallow one, fetch it: git fetch --unshallow'
    process.stderr.write(`this clone has no commit "${revision}"; ${advice}\n`)
    process.exitCode = 1
  } else {
    const differences = await tryUpgrade(known.stdout.trim())
    for (const line of differences) process.stdout.write(`${line}\n`)
    process.stdout.write(`${differences.length} answers differ\n`)
    process.exitCode = differences.length > 0 ? 1 : 0
  }
}
