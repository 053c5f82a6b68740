import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Releases } from '../../engine/commons/release/releases.ts'
import { toFormerForm } from '../../engine/commons/release/support/former-form.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { buildMadeRelease } from '../../fixtures/release/build-made.ts'
import { runCommand } from '../support/command.ts'

test('upgrade says what it made, or that nothing is to be done', async () => {
  const data = mkdtempSync(join(tmpdir(), 'casemill-upgrade-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  const run = () => runCommand(['upgrade'], { CASEMILL_DATA: data })
  const made = { dataFolder: data, scale: 'tiny', seed: 1, executor: inlineExecutor } as const
  await buildMadeRelease({ ...made, id: 'one' })
  await toFormerForm(new Releases(data).folder('one'))
  expect(await run()).toEqual({
    status: 0,
    signal: null,
    err: '',
    out: 'release one-format-3 is served in place of one, which may be removed from releases/ when nobody reads it\n',
  })
  expect(await run()).toMatchObject({ status: 0, out: 'release one-format-3 is up to date\n' })
})
