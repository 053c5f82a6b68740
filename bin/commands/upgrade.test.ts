import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../support/command.ts'

test('upgrade says that there is no release', async () => {
  const data = mkdtempSync(join(tmpdir(), 'casemill-upgrade-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  expect(await runCommand(['upgrade'], { CASEMILL_DATA: data })).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringContaining('the data folder has no release to bring up to date'),
  })
})
