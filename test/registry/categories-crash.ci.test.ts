import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Ndc } from '../../engine/registry/codes/ndc/ndc.ts'
import { productOf } from '../../engine/registry/codes/ndc/record.ts'
import { CodeRepository } from '../../engine/registry/codes/repository.ts'
import { finished } from '../../engine/registry/codes/support/made-codes.ts'
import { sharedState } from '../../engine/shared-state.ts'
import { randomFrom } from '../../fixtures/random.ts'

const KILLED = fileURLToPath(new URL('support/killed-categories.ts', import.meta.url))
const CODES = Array.from({ length: 2000 }, (_, i) => `1000-${String(i).padStart(4, '0')}`)

let folder = ''
let state = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-categories-crash-'))
  state = join(folder, 'data')
  await writeFile(
    join(folder, 'products.txt'),
    finished(...CODES.map((code) => [code, 'A'] as const)),
  )
  for (const category of ['ANCILLARY', 'CHEMOTHERAPY']) {
    const rows = CODES.map((code) => `${code}\t${category}\n`)
    await writeFile(join(folder, `${category}.tsv`), `ndc\tcategories\n${rows.join('')}`)
  }
})
afterAll(() => rm(folder, { recursive: true }))

const at = (name: string) => join(folder, name)

async function withNdc<T>(use: (ndc: Ndc, codes: CodeRepository) => Promise<T>): Promise<T> {
  const opened = sharedState({ dataFolder: state })
  try {
    const ndc = new Ndc({ state: opened, clock: () => new Date() })
    return await use(ndc, new CodeRepository(opened, 'ndc'))
  } finally {
    await opened.close()
  }
}

/** The numbers of products by their categories. */
const counts = () =>
  withNdc(async (_ndc, codes) => {
    const found: Record<string, number> = {}
    for await (const stored of codes.records()) {
      const name = productOf(stored).seer?.categories?.join() ?? 'none'
      found[name] = (found[name] ?? 0) + 1
    }
    return found
  })

const take = (category: string) =>
  withNdc((ndc) => ndc.importCategories(at(`${category}.tsv`), { user: 'import' }))

test('an import of categories that is killed leaves the old ones, and can be run again', async () => {
  await withNdc((ndc) => ndc.import({ products: at('products.txt') }, { user: 'import' }))
  await take('ANCILLARY')
  expect(await counts()).toEqual({ ANCILLARY: 2000 })
  const random = randomFrom(83)
  // The import is killed at the start, at random rows, and when everything is written but not committed.
  for (const rows of [0, 1 + random.below(2000), 1 + random.below(2000), 2000]) {
    const child = spawn(process.execPath, [KILLED, state, at('CHEMOTHERAPY.tsv'), String(rows)])
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    expect(await counts()).toEqual({ ANCILLARY: 2000 })
  }
  expect((await take('CHEMOTHERAPY')).records).toMatchObject({ changed: 2000, same: 0 })
  expect(await counts()).toEqual({ CHEMOTHERAPY: 2000 })
})
