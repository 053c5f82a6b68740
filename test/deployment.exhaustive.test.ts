import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from './available.ts'

// What an operator copies from docs/ is what these tools take. nginx is in
// commons/contract/download-nginx.exhaustive.test.ts.

const DOCS = join(import.meta.dirname, '../docs')

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

describe.runIf(available.systemd)('the unit of systemd', () => {
  /** With a program that is there, and with lines that are another. */
  async function unit(change: (text: string) => string = (text) => text): Promise<string> {
    const documented = await readFile(join(DOCS, 'systemd/casemill.service'), 'utf8')
    expect(documented).toContain('ExecStart=/opt/node/bin/node ')
    const text = change(documented.replace('/opt/node/bin/node', process.execPath))
    const path = join(folder, 'casemill.service')
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

  /** Of 100; a service without any of its settings has 96. */
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
