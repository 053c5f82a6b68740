import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fakeApp } from '../../test/commons/contract/fake-engine.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-terms-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function termsOf(terms: string | null) {
  const { app } = fakeApp({ terms })
  const response = await app.request('/terms')
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

test('without a setting the terms are a page that needs no key and loads nothing', async () => {
  const { status, type, text } = await termsOf(null)
  expect({ status, type }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
  expect(text).toContain('<h1>Terms of service</h1>')
  expect(text).toContain('<main>')
  expect(text).not.toMatch(/https?:|<script/)
})

test.each([
  ['terms.html', 'text/html; charset=utf-8'],
  ['terms.txt', 'text/plain; charset=utf-8'],
])('a file %s takes their place as %s', async (name, type) => {
  const path = join(folder, name)
  await writeFile(path, 'Ours: größer\n')
  expect(await termsOf(path)).toEqual({ status: 200, type, text: 'Ours: größer\n' })
})

test('a file that is not there keeps the service from starting', async () => {
  await expect(termsOf(join(folder, 'none.html'))).rejects.toMatchObject({
    code: 'bad_input',
    at: 'CASEMILL_TERMS',
  })
})
