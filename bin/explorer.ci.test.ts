import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { explorerFolder } from './explorer.ts'

const ROOT = join(import.meta.dirname, '..')

describe('the folder of the explorer', () => {
  let folder: string
  const { signal } = new AbortController()

  beforeAll(async () => {
    // The folder is beside the libraries that its sources import.
    folder = await mkdtemp(join(ROOT, 'node_modules/.explorer-'))
    await cp(join(ROOT, 'explorer'), join(folder, 'explorer'), { recursive: true })
    await cp(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const places = () => ({
    explorer: join(folder, 'explorer'),
    bundler: join(ROOT, 'tools/explorer/bundle.ts'),
    lockfile: join(ROOT, 'package-lock.json'),
    cache: join(folder, 'cache'),
  })

  test('is made once, by however many ask, and anew when the sources change', async () => {
    const [one, other] = await Promise.all([
      explorerFolder(signal, places()),
      explorerFolder(signal, places()),
    ])
    expect(one).toBe(other)
    const facts = JSON.parse(await readFile(join(one, 'bundle.json'), 'utf8')) as {
      readonly script: string
      readonly parts: readonly string[]
    }
    expect((await readdir(one)).sort()).toEqual([...facts.parts, 'bundle.json'].sort())
    expect(facts.parts).toContain(facts.script)
    expect(await explorerFolder(signal, places())).toBe(one)
    await writeFile(join(folder, 'explorer/style.css'), 'body { color: red }')
    expect(await explorerFolder(signal, places())).not.toBe(one)
    // The build that was started and aborted is gone.
    expect(await readdir(places().cache)).toHaveLength(2)
  })

  test('is that of the package where it is made already', async () => {
    const made = await mkdtemp(join(tmpdir(), 'casemill-explorer-'))
    await writeFile(join(made, 'bundle.json'), '{}')
    expect(await explorerFolder(signal, { ...places(), explorer: made })).toBe(made)
    await rm(made, { recursive: true })
  })

  test('sources that cannot be bundled leave nothing behind', async () => {
    await writeFile(join(folder, 'explorer/main.tsx'), 'import "./nothing.ts"')
    const before = await readdir(places().cache)
    await expect(explorerFolder(signal, places())).rejects.toThrow('nothing.ts')
    expect(await readdir(places().cache)).toEqual(before)
  })
})
