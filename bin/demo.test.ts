import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inlineExecutor } from '../engine/shared/index.ts'
import { openEngine } from '../test/places.ts'
import { toTry } from './demo.ts'

test('a start says that it ends the token and the key of the earlier one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-demo-secrets-'))
  const engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  try {
    const address = 'http://localhost'
    const secretIn = (lines: readonly string[]) =>
      lines
        .find((line) => line.startsWith('demo token'))
        ?.split(': ')
        .at(-1) ?? ''
    const first = await toTry(engine, address)
    expect(first[0]).toMatch(/^demo token/)
    expect(await engine.shared.tokens.verify(secretIn(first))).toMatchObject({ user: 'demo' })
    const second = await toTry(engine, address)
    expect(second[0]).toBe('this start has ended the demo token and key of the earlier one')
    expect(await engine.shared.tokens.verify(secretIn(first))).toBeUndefined()
    expect(await engine.shared.tokens.verify(secretIn(second))).toMatchObject({ user: 'demo' })
  } finally {
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
})
