import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sample } from '../../test/depth.ts'
import { runCommand } from '../support/command.ts'

test('a project is registered with its program, gets subjects and references, and is listed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-project-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const run = (...words: readonly string[]) =>
    runCommand(['project', ...words, '--data', join(folder, 'data')])
  const path = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const done = { status: 0, err: '' }
  const words = ['--accession', 'T1', '--name', 'A trial', '--primary-site', 'Brain']
  expect(await run('register', 'TRIAL-ONE-A', ...words)).toMatchObject({
    ...done,
    out: 'TRIAL-ONE-A registered\n',
  })
  const subjects = path('subjects.txt', 'A\r\nB \n\nC')
  const sites = path('sites.csv', 'type,code,name\ntissue_source_site,A1,"Hospital, north"\n')
  expect(await run('subjects', 'TRIAL-ONE-A', subjects)).toMatchObject({
    ...done,
    out: 'TRIAL-ONE-A takes cases of 3 subjects\n',
  })
  expect(await run('references', sites)).toMatchObject({
    ...done,
    out: '1 added, 0 changed, 0 as they were\n',
  })
  expect(await run('list')).toMatchObject({
    ...done,
    out: 'project\tstate\treleased\tentities\tsubjects\nTRIAL-ONE-A\topen\tno\t0\t3\n',
  })
  expect(await run('reopen', 'TRIAL/ONE-A')).toMatchObject({
    status: 1,
    err: expect.stringMatching(
      /^casemill: Project is in state 'open', which prevents reopening it\./,
    ),
  })
  const asked = [
    ['reopen', 'TRIAL-ONE'],
    ['subjects', 'TRIAL-ONE', subjects],
    ['redact', 'TRIAL-ONE', 'x', '--reason', 'y'],
  ]
  for (const words of sample(asked, 1)) {
    expect(await run(...words)).toMatchObject({
      status: 1,
      err: 'casemill: no project "TRIAL-ONE" is registered; casemill project list shows the registered ones; did you mean "TRIAL-ONE-A"?\n',
    })
  }
  expect(await run('register', 'TRIAL', ...words)).toMatchObject({
    status: 1,
    out: '',
    err: 'casemill: project "TRIAL" is not a program and a code joined by a hyphen\n',
  })
})
