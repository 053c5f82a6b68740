import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sharedState } from '../../shared-state.ts'
import { KeyStore } from './keys.ts'
import { TokenStore } from './tokens.ts'

test('no file of the database ever holds a secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const state = sharedState({ dataFolder: folder })
  const clock = () => new Date()
  const tokens = new TokenStore(state, clock)
  const made = await tokens.create({ user: 'ada', projects: ['P-1'] })
  await tokens.verify(made.secret)
  const all = [made, await new KeyStore(state, clock).create()]
  const bytes = () =>
    Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))
  const whileOpen = bytes()
  await state.close()
  for (const written of [whileOpen, bytes()]) {
    for (const { id, secret } of all) {
      // Finding the id proves that the searched bytes include the stored token or key.
      expect(written.includes(id)).toBe(true)
      expect(written.includes(secret)).toBe(false)
      expect(written.includes(secret.slice(17))).toBe(false)
      expect(written.includes(Buffer.from(secret.slice(17), 'base64url'))).toBe(false)
    }
  }
})
