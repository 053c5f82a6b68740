import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

// test/package.ci.test.ts tests this with a Node that is really older.

test('a Node that is too old is reported in one sentence, before anything else is loaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-entry-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'bin'))
  // The entry file alone: the files that it would load do not exist.
  const entry = join(folder, 'bin', 'casemill.ts')
  copyFileSync(fileURLToPath(new URL('casemill.ts', import.meta.url)), entry)
  const run = (needed: string, ...args: readonly string[]) => {
    const facts = { version: '7.8.9', type: 'module', engines: { node: `>=${needed}` } }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(facts))
    const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], {
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const found = `this is Node ${process.versions.node} (${process.execPath})`
  const advice = 'install a newer one from https://nodejs.org, and call casemill again'
  for (const args of [[], ['serve'], ['--version']]) {
    expect(run('999.1', ...args)).toEqual({
      status: 1,
      stdout: '',
      stderr: `casemill: ${found}, and casemill needs Node 999.1 or newer; ${advice}\n`,
    })
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  expect(run(`${major}.${minor + 1}`, '--version')).toMatchObject({ status: 1 })
  const told = { status: 0, stdout: '7.8.9\n', stderr: '' }
  expect(run(`${major}.${minor}`, '--version')).toEqual(told)
  expect(run(`${major - 1}.${minor + 1}`, '--version')).toEqual(told)
})
