import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { endOf, startProgram } from '../support/program.ts'

test('a server says that its data folder is new, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-new-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const data = join(folder, 'new')
  const serve = async () => {
    const child = startProgram(['serve', '--port', '0', '--threads', '1', '--data', data])
    const ended = endOf(child)
    await once(createInterface({ input: child.stdout }), 'line')
    child.kill('SIGINT')
    return (await ended).err
  }
  expect(await serve()).toContain(`casemill: no casemill data in "${data}" yet: a new, empty`)
  expect(await serve()).not.toContain('casemill: no casemill data')
})
