import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { runCommand } from '../support/command.ts'
import { runProgram } from '../support/program.ts'

test('a check tells that a bucket has no rule for pages of another origin', async () => {
  await using stack = new AsyncDisposableStack()
  const s3 = await startS3()
  stack.defer(() => s3.stop())
  const data = mkdtempSync(join(tmpdir(), 'casemill-check-bucket-'))
  stack.defer(() => rmSync(data, { recursive: true }))
  const settings = { ...s3.environment, CASEMILL_DATA: data }
  await runCommand(['token', 'create', '--user', 'ada'], settings)
  const checked = (presign: string) =>
    runProgram(['check', '--origin', 'https://viewer.example'], {
      ...settings,
      CASEMILL_PRESIGN: presign,
    })
  expect(await checked('true')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^bucket\tpages of https:\/\/viewer.example cannot read/),
  })
  // If no addresses of the bucket are given to clients, no rule is needed.
  expect(await checked('false')).toMatchObject({ status: 0, out: '' })
})
