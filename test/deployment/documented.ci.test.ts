import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { runProgram } from '../../bin/support/program.ts'
import { FOLDERS, ingress, job } from '../../tools/kubernetes/objects.ts'
import { available } from '../available.ts'
import { DOCS } from './documented.ts'

// The tools accept the files that an operator copies from docs/. balancers.ci.test.ts, database.ci.test.ts and
// ../commons/contract/download-nginx.ci.test.ts run them.

interface Ended {
  readonly status: number
  readonly said: string
}

async function run(program: string, ...words: string[]): Promise<Ended> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, words)
    return { status: 0, said: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, said: stdout + stderr }
  }
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-deployment-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const UNITS = ['casemill.service', 'casemill@.service']

describe.runIf(available.systemd).each(UNITS)('the unit %s of systemd', (name) => {
  /** The unit with an existing program, and with some lines changed. */
  async function unit(change: (text: string) => string = (text) => text): Promise<string> {
    const documented = await readFile(join(DOCS, 'systemd', name), 'utf8')
    expect(documented).toContain('ExecStart=/opt/node/bin/node ')
    const text = change(documented.replace('/opt/node/bin/node', process.execPath))
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }

  test('is taken without a word', async () => {
    expect(await run('systemd-analyze', 'verify', await unit())).toEqual({ status: 0, said: '' })
  })

  test('one with a misspelled setting is not', async () => {
    const path = await unit((text) => text.replace('ProtectHome=', 'ProtectHomes='))
    expect((await run('systemd-analyze', 'verify', path)).said).toContain('ProtectHomes')
  })

  /** The maximum rating of 100; a service without these settings has 96. */
  const MOST = '20'

  test('leaves open little of what systemd can close', async () => {
    const security = async (path: string) =>
      (await run('systemd-analyze', 'security', '--offline=true', `--threshold=${MOST}`, path))
        .status
    expect(await security(await unit())).toBe(0)
    const open = await unit((text) => text.replace(/^(Protect|Restrict|System|Capa).*$/gm, ''))
    expect(await security(open)).toBe(1)
  })
})

test('the units differ in names, places and settings alone', async () => {
  const [one, several] = await Promise.all(
    UNITS.map(async (name) => (await readFile(join(DOCS, 'systemd', name), 'utf8')).split('\n')),
  )
  const differing = /^(#.*|Description=.*|Environment=.*|StateDirectory=.*)$/
  const rest = (lines: readonly string[] = []) => lines.filter((line) => !differing.test(line))
  expect(rest(several)).toEqual(rest(one))
})

describe.runIf(available.haproxy)('the configuration of HAProxy', () => {
  const documented = join(DOCS, 'haproxy/haproxy.cfg')

  test('is taken without a warning', async () => {
    expect(await run('haproxy', '-c', '-f', documented)).toEqual({
      status: 0,
      said: 'Configuration file is valid\n',
    })
  })

  test('one with a misspelled setting is not', async () => {
    const path = join(folder, 'haproxy.cfg')
    await writeFile(path, (await readFile(documented, 'utf8')).replace('leastconn', 'leastcon'))
    expect(await run('haproxy', '-c', '-f', path)).toMatchObject({
      status: 1,
      said: expect.stringContaining('leastcon'),
    })
  })

  test('has the lines that Kubernetes is given for HAProxy', async () => {
    const annotations = ingress.metadata?.annotations ?? {}
    const lines = annotations['haproxy.org/backend-config-snippet']?.split('\n') ?? []
    expect(lines.length).toBeGreaterThan(3)
    const text = await readFile(documented, 'utf8')
    expect(text.split('\n').map((line) => line.trim())).toEqual(expect.arrayContaining(lines))
  })
})

describe.runIf(available.kubectl).each(Object.entries(FOLDERS))(
  'docs/kubernetes/%s',
  (name, files) => {
    test('is put together by kubectl as the objects that it was made of', async () => {
      const { stdout } = await promisify(execFile)('kubectl', [
        'kustomize',
        join(DOCS, 'kubernetes', name),
      ])
      const objects = parseAllDocuments(stdout, { version: '1.1' }).map((each) => each.toJS())
      const named = ({ kind, metadata }: { kind?: string; metadata?: { name?: string } }) =>
        `${kind} ${metadata?.name}`
      const sorted = <T extends object>(all: readonly T[]) =>
        all.toSorted((a, b) => named(a).localeCompare(named(b)))
      expect(sorted(objects)).toEqual(sorted(Object.values(files)))
    })
  },
)

test('the pods of the indexed job do the shards of a plan', async () => {
  const [container] = job.spec?.template.spec?.containers ?? []
  const mount = container?.volumeMounts?.find(({ name }) => name === 'batches')?.mountPath ?? ''
  const args = container?.args ?? []
  expect(args).toContain(`${mount}/plan`)

  const tumour = {
    primary_site: 'C504',
    histology_icd_o3: '8500',
    behavior_icd_o3: '3',
    date_of_diagnosis_year: '2019',
  }
  const pairs = Array.from({ length: 30 }, (_, i) => ({
    input1: tumour,
    input2: { ...tumour, primary_site: i % 2 === 0 ? 'C501' : 'C619' },
  }))
  const input = join(folder, 'pairs.ndjson')
  await writeFile(input, pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''))
  const batches = join(folder, 'batches')
  await mkdir(batches)
  const plan = join(batches, 'plan')
  const { completions = 0 } = job.spec ?? {}
  const planned = await runProgram([
    ...['plan', 'mph', input, '--out', plan],
    ...['--shards', String(completions)],
  ])
  expect(planned).toMatchObject({ status: 0, out: `${completions}\n` })
  const ended = await Promise.all(
    Array.from({ length: completions }, (_, index) =>
      runProgram(
        args.map((word) => word.replace(mount, batches)),
        { SLURM_ARRAY_TASK_ID: undefined, JOB_COMPLETION_INDEX: String(index) },
      ),
    ),
  )
  expect(ended.map(({ status }) => status)).toEqual(Array(completions).fill(0))
  const [joined, whole] = await Promise.all([
    runProgram(['join', '--plan', plan]),
    runProgram(['mph', input]),
  ])
  expect(joined).toMatchObject({ status: 0, out: whole.out })
  expect(whole.out.split('\n')).toHaveLength(pairs.length + 1)
})

describe.runIf(available.promtool)('the alerts of Prometheus', () => {
  const rules = join(DOCS, 'prometheus/casemill.rules.yml')

  test('are taken', async () => {
    expect(await run('promtool', 'check', 'rules', rules)).toMatchObject({
      status: 0,
      said: expect.stringContaining('8 rules found'),
    })
  })

  test('are raised by made series, and only by these', async () => {
    const tests = join(DOCS, 'prometheus/casemill.rules.test.yml')
    expect(await run('promtool', 'test', 'rules', tests)).toMatchObject({ status: 0 })
  })

  test('each is raised by one of the series', async () => {
    const named = (await readFile(rules, 'utf8')).matchAll(/^ {6}- alert: (\w+)$/gm)
    const made = await readFile(join(DOCS, 'prometheus/casemill.rules.test.yml'), 'utf8')
    const raised = new Set(
      [...made.matchAll(/alertname: (\w+)\n +exp_alerts:\n/g)].map(([, name]) => name),
    )
    expect([...named].map(([, name]) => name).filter((name) => !raised.has(name))).toEqual([])
  })
})
